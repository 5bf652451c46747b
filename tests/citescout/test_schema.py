"""A setting is declared once: everything that takes settings has it from there."""

from dataclasses import fields, replace
from decimal import Decimal
from inspect import signature
from typing import Annotated, Any, Literal

import click
import numpy as np
import pytest
from click.testing import CliRunner
from pydantic import Field, TypeAdapter, ValidationError

from citescout import Query, Settings
from citescout.filters import Filters
from cli.setting_options import flag_of, option_of
from common.errors import QueryError
from common.schema import FieldError, Given, Names, changed, fields_of, record
from webui.api_types import RecommendRequest, request_of


@record
class MoreFilters(Filters):
    languages: Annotated[Names, Given("--language", "CODE")] = Field(default=(), description="Only in these.")


@record
class MoreSettings(Settings):
    filters: MoreFilters = Field(default_factory=MoreFilters)
    sharpness: int = Field(default=3, ge=1, le=9, description="How sharp it is.")
    mood: Literal["calm", "bold"] = Field(default="calm", description="How it sounds.")
    polite: bool = Field(default=True, description="Whether it greets.")


ADDED = {"languages", "sharpness", "mood", "polite"}


def test_a_new_setting_is_an_option_of_the_command_line():
    given: dict[str, object] = {}

    @click.command()
    def command(**values: object) -> None:
        given.update({name: value for name, value in values.items() if value is not None})

    fields = dict(fields_of(MoreSettings, where="command line"))
    for name, field in fields.items():
        command = option_of(name, field)(command)
    helped = CliRunner().invoke(command, ["--help"]).output
    for part in ("--sharpness", "How sharp it is.", "1<=x<=9", "[calm|bold]", "--no-polite", "--language CODE"):
        assert part in helped
    arguments = ["--sharpness", "4", "--no-polite", "--language", "en", "--language", "de", "--from-year", "1999"]
    assert CliRunner().invoke(command, arguments).exit_code == 0
    made = changed(MoreSettings(), given)
    assert made == MoreSettings(sharpness=4, polite=False, filters=MoreFilters(languages=("en", "de"), from_year=1999))
    assert CliRunner().invoke(command, ["--sharpness", "0"]).exit_code == 2
    assert {flag_of(name, fields[name]) for name in ADDED} == {"--language", "--sharpness", "--mood", "--no-polite"}


def test_a_number_that_is_none_of_python_is_named():
    with pytest.raises(FieldError, match=r"year must be a whole number, not Decimal\('2020'\)"):
        Query(title="x", year=Decimal(2020))  # type: ignore[arg-type]


@pytest.mark.parametrize("year", [np.int64(2020), np.uint16(2020), 2020.0, np.float64(2020), np.float32(2020)])
def test_numbers_of_tables_are_taken(year: Any) -> None:
    """As pandas has them, whose column of whole numbers is one of floats where one is missing."""
    asked = Query(title="x", year=year)
    assert (asked.year, type(asked.year)) == (2020, int)
    assert Query("x", "", "", year) == replace(Query("x"), year=year) == asked
    for wrong in (year + 0.5, year * np.float64("nan")):
        with pytest.raises(FieldError, match=r"year must be a whole number, not (2020\.5|nan)"):
            Query(title="x", year=wrong)


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_what_a_table_lacks_is_named(missing: Any) -> None:
    for name, wanted in (("title", "text"), ("already_cited", "a list")):
        with pytest.raises(FieldError, match=f"^{name} must be {wanted}, not {missing}$"):
            Query(**{"abstract": "x", name: missing})
    with pytest.raises(FieldError, match=rf"^authors\[0\] must be text, not {missing}$"):
        Query("x", authors=[missing])


def test_settings_take_numbers_of_tables() -> None:
    assert Settings(k=np.int64(7), diversity=np.float32(0.5)) == Settings(k=7, diversity=0.5)
    with pytest.raises(FieldError, match="k must be a whole number, not True"):
        Settings(k=True)


def test_help_shows_plain_types() -> None:
    for one in (Query, MoreSettings, MoreFilters):
        shown = signature(one)
        assert list(shown.parameters) == [field.name for field in fields(one)]
        assert "Annotated" not in str(shown)
    assert "year: int | None = None, already_cited: tuple[str, ...] = ()" in str(signature(Query))


def test_a_new_setting_is_a_field_of_the_api_and_of_its_document():
    request = request_of("More", "With more.", (Query, MoreSettings))
    read = request.model_validate({"title": "x", "sharpness": 9, "languages": ["en"], "polite": None})
    assert (read.sharpness, read.languages, read.polite) == (9, ("en",), None)  # type: ignore[attr-defined]
    for wrong in ({"sharpness": 10}, {"sharpness": True}, {"mood": "sad"}, {"languages": ["x" * 501]}):
        with pytest.raises(ValidationError):
            request.model_validate({"title": "x", **wrong})
    described = TypeAdapter(request).json_schema()["properties"]
    assert set(described) - set(TypeAdapter(RecommendRequest).json_schema()["properties"]) == ADDED
    number = {"type": "integer", "minimum": 1, "maximum": 9}
    assert described["sharpness"]["anyOf"] == [number, {"type": "null"}]
    assert described["sharpness"]["description"] == "How sharp it is."
    assert described["languages"]["anyOf"][0]["maxItems"] == 50


def test_a_record_says_which_field_cannot_be_so():
    for wrong, message in (
        ({"sharpness": 10}, "sharpness must be from 1 to 9, not 10"),
        ({"mood": "sad"}, "mood must be 'calm' or 'bold', not 'sad'"),
        ({"polite": 1}, "polite must be true or false"),
        ({"sharp": 1}, "unknown field 'sharp'; there are .*, sharpness, sources"),
    ):
        with pytest.raises(QueryError, match=f"^{message}"):
            MoreSettings(**wrong)
    with pytest.raises(QueryError, match=r"^k must be from 1 to 1000, not 0$"):
        Settings(0)
    with pytest.raises(TypeError):
        Query("title", "abstract", "id", 2000, (), (), (), (), (), "context", "more")


def test_an_error_can_be_said_in_the_callers_words():
    with pytest.raises(FieldError) as refused:
        Filters(from_year=2020, to_year=2010)
    assert str(refused.value) == "from_year 2020 is after to_year 2010"
    words = {"from_year": "--from-year", "to_year": "--to-year"}
    assert str(refused.value.renamed(lambda path: words[str(path[0])])) == "--from-year 2020 is after --to-year 2010"


def test_values_are_kept_as_they_can_be_compared():
    query = Query("x", already_cited=["", "a", "  "], liked=[""], disliked=["\t"], authors=["Ada", " "])
    assert query == Query("x", already_cited=("a",), authors=("Ada",))
    assert hash(query) == hash(replace(query))
    assert "Ada" not in repr(query)
    with pytest.raises(QueryError, match="year must be from 1000 to 2200, not 99"):
        replace(query, year=99)
