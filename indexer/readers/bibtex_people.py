"""Names as BibTeX and BibLaTeX have them."""

import re

from bibtexparser.middlewares.names import (
    InvalidNameError,
    parse_single_name_into_parts,
    split_multiple_persons_names,
)

from common.names import SUFFIX, stored_name, stored_whole
from indexer.readers.bibtex_keys import in_braces
from indexer.readers.latex import plain, with_accents
from indexer.readers.markup import person

_COMMAND_FIRST = re.compile(r"(?<=\sand)\s+(?=\\)", re.IGNORECASE)  # bibtexparser would lose the backslash
_TILDE = re.compile(r"\\~\s*(?:\{([^{}]+)\}|(\\?[A-Za-z]))")  # the accent, as in Pe\~na
_LONGEST_NAME = 1_000  # characters

# One part of a name as biblatex and Better BibTeX name them: family=Vaart, given=Aad, prefix=van der.
_NAMED_PART = re.compile(r'(?:^|,)\s*"?([a-z-]+)\s*=\s*((?:\{(?:[^{}]|\{[^{}]*\})*\}|[^,{}"])+)')


def parted(value: str) -> list[str]:
    """The names of a field such as `author`, between which "and" stands."""
    return [name.removeprefix("{}") for name in split_multiple_persons_names(_COMMAND_FIRST.sub(" {}", value))]


def with_tildes(value: str) -> str:
    r"""A field whose accents \~ are in braces, for the parser takes any other "~" for a space."""
    return _TILDE.sub(lambda accent: f"{{\\~{{{accent[1] or accent[2]}}}}}", value)


def stored(name: str) -> str:
    """One name as BibTeX takes it, perhaps in braces or with LaTeX's accents, as `common.names` stores it."""
    if in_braces(name):
        whole = plain(name)
        return whole if "," in whole else stored_whole(whole)  # Citavi has "{Berg, Ann van der}"
    named = dict(_NAMED_PART.findall(name[:_LONGEST_NAME]))
    if "family" in named:
        given, family = named.get("given", ""), person(named.get("prefix"), named["family"])
        suffix = named.get("suffix", "")
    else:
        try:
            # The parser takes the letter behind {\L} for the first, and a given name such as {\L}ukasz for a particle.
            parts = parse_single_name_into_parts(with_accents(name))
        except InvalidNameError:
            return plain(name)
        if "," not in name and len(parts.first) > 1 and re.fullmatch(SUFFIX, " ".join(parts.last)):
            return plain(name)  # BibTeX would take "Jr" of "Martin King Jr" for the family name
        given, family, suffix = " ".join(parts.first), " ".join([*parts.von, *parts.last]), " ".join(parts.jr)
    return stored_name(*map(plain, (family, given, suffix)))
