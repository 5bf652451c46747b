"""Filters as chips above the list: those that are set, to take off, and a few that are often wanted, to put on."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citescout.recommendation import Recommendation
from webui.inputs import Asked

_RECENT = 5  # years up to the newest paper of the list
_OFTEN_CITED = 10  # times in the index
_BETWEEN = re.compile(r"\s*\n\s*")  # two lines of a field
_NAMES = ("from_year", "year", "venues", "min_citations", "not_by", "hide_known")
# Fields of the form that change a list, or FIELD=VALUE, and how that is said; {n} is how many lines a field has.
LIMITS = {
    "from_year": "from {}",
    "year": "up to {}",
    "venues": "in {}",
    "min_citations": "cited at least {} times",
    "min_citations=1": "cited at least once",
    "not_by": "not by {}",
    "already_cited": "{n} cited already",
    "liked": "{n} liked",
    "disliked": "{n} disliked",
}


@dataclass(frozen=True, slots=True)
class Chip:
    """One filter: a button that asks again with `field` set to `value`, or without it."""

    label: str
    field: str  # of the form
    value: str  # "" takes the filter off

    @property
    def on(self) -> bool:
        """Whether the list is filtered by it."""
        return not self.value


def chips(asked: Asked, recommendations: Sequence[Recommendation]) -> list[Chip]:
    """The filters of a list, and those that would leave some of its papers and not all."""
    filters, year = asked.settings.filters, asked.query.year
    limits = {
        "from_year": filters.from_year,
        "year": year,
        "venues": " or ".join(filters.venues),
        "min_citations": filters.min_citations,
        "not_by": "; ".join(filters.not_by),
    }
    found = [Chip(_label(field, value).format(value), field, "") for field, value in limits.items() if value]
    if asked.settings.hide_known and asked.query.authors:
        found.append(Chip("without what you wrote or cited before", "hide_known", ""))
    set_ = {chip.field for chip in found}
    years = [entry.paper.year for entry in recommendations if entry.paper.year]
    recent = max(years, default=0) - _RECENT + 1
    if "from_year" not in set_ and 0 < sum(year >= recent for year in years) < len(recommendations):
        found.append(Chip(f"Since {recent}", "from_year", str(recent)))
    often = sum((entry.times_cited or 0) >= _OFTEN_CITED for entry in recommendations)
    if "min_citations" not in set_ and 0 < often < len(recommendations):
        found.append(Chip(f"{_OFTEN_CITED} citations or more", "min_citations", str(_OFTEN_CITED)))
    return found


def limits_of(fields: Mapping[str, str]) -> str:
    """What limits the list of a question of the form, in words, and what it rests on; "" where nothing does."""
    given = [(name, _BETWEEN.split(fields.get(name, "").strip())) for name in LIMITS]
    return "; ".join(
        _label(name, lines[0]).format(", ".join(lines), n=len(lines))
        for name, lines in given
        if lines[0] not in {"", "0"}
    )


def _label(field: str, value: object) -> str:
    return LIMITS.get(f"{field}={value}", LIMITS[field])


def chosen_filters(form: Mapping[str, str]) -> dict[str, str]:
    """The fields that a chip's button sets: `filter` is "FIELD=VALUE"."""
    field, _, value = form.get("filter", "").partition("=")
    return {field: value} if field in _NAMES else {}
