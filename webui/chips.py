"""Filters as chips above the list: those that are set, to take off, and a few that are often wanted, to put on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citescout.recommendation import Recommendation
from webui.inputs import Asked

_RECENT = 5  # years up to the newest paper of the list
_OFTEN_CITED = 10  # times in the index
_NAMES = ("from_year", "year", "venues", "min_citations", "not_by", "hide_known")


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
    on = [
        Chip(f"from {filters.from_year}", "from_year", "") if filters.from_year else None,
        Chip(f"up to {year}", "year", "") if year else None,
        Chip(f"in {' or '.join(filters.venues)}", "venues", "") if filters.venues else None,
        Chip(f"cited at least {filters.min_citations} times", "min_citations", "") if filters.min_citations else None,
        Chip(f"not by {', '.join(filters.not_by)}", "not_by", "") if filters.not_by else None,
        Chip("without what you wrote or cited before", "hide_known", "")
        if asked.settings.hide_known and asked.query.authors
        else None,
    ]
    found = [chip for chip in on if chip]
    set_ = {chip.field for chip in found}
    years = [entry.paper.year for entry in recommendations if entry.paper.year]
    recent = max(years, default=0) - _RECENT + 1
    if "from_year" not in set_ and 0 < sum(year >= recent for year in years) < len(recommendations):
        found.append(Chip(f"Since {recent}", "from_year", str(recent)))
    often = sum((entry.times_cited or 0) >= _OFTEN_CITED for entry in recommendations)
    if "min_citations" not in set_ and 0 < often < len(recommendations):
        found.append(Chip(f"{_OFTEN_CITED} citations or more", "min_citations", str(_OFTEN_CITED)))
    return found


def chosen_filters(form: Mapping[str, str]) -> dict[str, str]:
    """The fields that a chip's button sets: `filter` is "FIELD=VALUE"."""
    field, _, value = form.get("filter", "").partition("=")
    return {field: value} if field in _NAMES else {}
