"""What a browser or a program sends → a query and settings, every field checked."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_origin

from pydantic import ValidationError

from citescout.filters import Filters
from citescout.settings import Settings
from common.errors import QueryError
from common.schema import FieldError, changed, fields_of, first_error, how_given, json_path, of_json, type_of
from common.text import whole_words
from indexer.identity.titles import title_words
from manuscripts.draft import split_title
from manuscripts.reference_lines import entries_beside_ids, year_of
from retrieval.query import Query
from webui.api_types import MOST_IDS, RecommendRequest, Request

_WITHIN_TITLES = {"an", "and", "are", "as", "by", "for", "from", "in", "is", "of", "on", "that", "the", "to", "with"}
_FEWEST_TITLE_WORDS = 4
_ID_ENDS = re.compile(r"[\s,]+")
_NAME = re.compile(r"\b(doi|arxiv|pmid)(?:\s*:\s+|\s+(?=\d))", re.IGNORECASE)  # one id, though a space follows
_KIND = re.compile(r"(?<=\d)\s+\[[^\[\]]*\]")  # that stands behind ids, such as [PubMed - indexed for MEDLINE]
_FIELDS = dict(fields_of(Query, Settings, where="api"))
# What the page calls the fields whose names would mean nothing to its readers; as in templates/index.html.
PAGE_LABELS = {name: label for name, field in _FIELDS.items() if (label := how_given(field).label)}
# The fields of the page's form, in which all values are text.
_ON_PAGE = tuple(name for name, _ in fields_of(Query, Settings, where="page"))
FORM_FIELDS = (*_ON_PAGE, "system")
BEYOND = 12  # works outside the index that the page shows
_LINES = ("already_cited", "liked", "disliked")  # have an id a line; names are separated by semicolons

# Name of a system, or "" for the one that answers without → its settings; see `Recommender.settings_of`.
SettingsOf = Callable[[str], Settings]
# An id → something true, such as its paper, where the index that is asked has it.
IsId = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question."""

    query: Query
    settings: Settings
    system: str = ""  # that it names
    papers: tuple[str, ...] = ()  # ids of the recommendations that are to be exported; empty for all


def from_json(
    record: object,
    settings_of: SettingsOf,
    place: str = "request",
    kind: type[Request] = RecommendRequest,
) -> Asked:
    """A question as the API has it; its own settings take the place of those of its system.

    Raises:
        QueryError: not an object, an unknown field, a wrong type, a value out of range, or as `settings_of`; names
            the place and the field.
    """
    if not isinstance(record, dict):
        raise QueryError("the request must be a JSON object")
    try:
        return _asked(record, settings_of, kind)
    except QueryError as error:
        raise QueryError(f"{place}: {error}") from None


def _asked(record: Mapping[str, Any], settings_of: SettingsOf, kind: type[Request] = RecommendRequest) -> Asked:
    try:
        request = kind.model_validate(of_json(record))
    except ValidationError as error:
        raise first_error(error, kind.model_fields | _FIELDS) from None
    values = {name: value for name, value in request if value is not None}
    query = Query(**{name: values[name] for name, _ in fields_of(Query, where="api") if name in values})
    system = request.system or ""
    return Asked(query, changed(settings_of(system), values), system, values.get("papers", ()))


def from_form(form: Mapping[str, str], settings_of: SettingsOf, is_id: IsId = lambda _: False) -> Asked:
    """A question as the form of the page has it: every field is text, and an empty one is not given.

    Title and abstract may both stand in either field, the title on the first line.

    Raises:
        QueryError: no text at all, or a value out of range; names the field as the page does.
    """
    try:
        return _asked(form_as_json(form, is_id), settings_of)
    except FieldError as error:
        raise error.renamed(lambda path: PAGE_LABELS.get(str(path[0]), json_path(path[:1]))) from None


def form_as_json(form: Mapping[str, str], is_id: IsId) -> dict[str, Any]:
    """The form's question as the API has it; errors as for `from_form`, with the names of the API."""
    title, abstract = text_in(form, "title"), text_in(form, "abstract")
    if not title or ("\n" in title and not abstract):
        title, abstract = split_title(title or abstract)
    if not title and not abstract and not text_in(form, "context"):
        raise QueryError("enter a title or an abstract")
    record = {name: _value(name, text, is_id) for name in _ON_PAGE if (text := text_in(form, name))}
    record |= {"title": " ".join(whole_words(title).split()), "abstract": abstract}
    return {"system": text_in(form, "system") or None, "beyond": BEYOND} | record


def _value(name: str, text: str, is_id: IsId) -> Any:
    """The value of a field that is not empty."""
    kind = type_of(_FIELDS[name])
    if kind in {int, float}:
        if not re.fullmatch(r"-?[0-9]{1,18}", text):
            raise FieldError((name,), f"must be a whole number, not {text[:20]!r}")
        return int(text) if kind is int else int(text) / 100  # per cent
    if get_origin(kind) is tuple:
        if name == "already_cited":
            return split_ids(text, is_id)
        if name in _LINES:
            return list(filter(None, text.splitlines()))
        # Commas stand within names.
        return [" ".join(part.split()) for part in re.split(r"[;\n]", text) if part.strip()]
    return True if kind is bool else text


def to_form(asked: Asked) -> dict[str, str]:
    """The fields of the form that ask the same again; `depth` and what else the form does not have is left out."""
    values = {name: getattr(asked.query, name, getattr(asked.settings, name, None)) for name in FORM_FIELDS}
    values |= {name: getattr(asked.settings.filters, name) for name, _ in fields_of(Filters, where="page")}
    values |= {"title": _unbroken(asked.query.title), "system": asked.system}
    return {name: _shown(name, value) for name, value in values.items()}


def check_form_has(asked: Asked, settings_of: SettingsOf) -> None:
    """Refuse settings that are lost in the form of the page, such as `depth`, with a QueryError that names them."""
    again = from_form(to_form(asked), settings_of).settings

    def is_lost(name: str) -> bool:
        before, after = (getattr(one, name, getattr(one.filters, name, None)) for one in (asked.settings, again))
        return name != "beyond" and before != after  # whose number is the page's own

    if lost := [name for name, _ in fields_of(Settings, where="api") if is_lost(name)]:
        raise QueryError(f"request: a stored question is answered by the page, which cannot show {' and '.join(lost)}")


def _shown(name: str, value: Any) -> str:
    if isinstance(value, float):
        return str(round(100 * value))  # per cent
    if isinstance(value, tuple):
        return ("\n" if name in _LINES else "; ").join(map(_unbroken, value))
    return "1" if value is True else str(value or "")


def _unbroken(text: str) -> str:
    return " ".join(text.splitlines())


def split_ids(text: str, is_id: IsId = lambda _: False) -> list[str]:
    """Ids separated by spaces, commas or line breaks, titles on lines of their own, printed references; each once.

    A line that is an id as a whole is one, whatever stands in it.
    """
    entries: dict[str, None] = {}
    for whole in dict.fromkeys(map(str.strip, entries_beside_ids(text))):
        words = whole.split()
        if len(entries) <= MOST_IDS and is_id(whole):  # of more it is only said how many there are
            found = [whole]
        else:
            found = [" ".join(words)] if _is_title(words) else _ID_ENDS.split(without_spaces_in_ids(whole))
        entries |= dict.fromkeys(filter(None, found))
    return list(entries)


def without_spaces_in_ids(text: str) -> str:
    """The text with "doi:10.1/a" for "doi: 10.1/a", and without brackets behind ids, so that spaces part ids."""
    return _NAME.sub(r"\1:", _KIND.sub("", text))


def _is_title(words: Sequence[str]) -> bool:
    """A title has at least four words, most without the digits and signs of ids, and begins or goes on like one.

    So has a printed reference, which may begin in lower case, as "van" of a name, but has a year.
    """
    plain = [word for word in words if word.strip("\"'“”‘’().,:;?!-").replace("-", "").isalpha()]
    return (
        len(title_words(" ".join(words))) >= _FEWEST_TITLE_WORDS
        and len(plain) * 2 > len(words)
        and (
            not words[0][0].islower()
            or any(word in _WITHIN_TITLES for word in words)
            or year_of(" ".join(words)) is not None
        )
    )


def text_in(form: Mapping[str, str], name: str) -> str:
    """The text of a field, its lines ended as ours; "" for none."""
    return form.get(name, "").replace("\r\n", "\n").strip()
