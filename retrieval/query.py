"""The query, and what it may not get back."""

from collections.abc import Callable
from typing import Annotated

from pydantic import Field

from common.front_matter import without_front_matter
from common.line_numbers import without_line_numbers
from common.schema import FieldError, Given, Names, record
from common.text import composed, unligated, whole_words
from encoders.text import Text
from retrieval.asking import question, what_is_asked
from retrieval.citation_marks import marked_alike, without_marks, without_unnumbered_marks
from retrieval.plain_text import plain_text

FIRST_YEAR, LAST_YEAR = 1000, 2200
TEXTS = ("title", "abstract", "context")  # fields of a query, one of which has to hold what is asked
# Characters that servers take, of a list those of an entry; long abstracts have 3,000, printed references 500 and more.
LONGEST = {"title": 2_000, "abstract": 50_000, "context": 5_000, "already_cited": 1_000}


@record
class Query:
    """A paper in progress, for which papers to cite are wanted. Title and abstract: one of them is enough.

    Raises:
        QueryError: a field of the wrong type, a year out of range, or nothing to ask.
    """

    title: str = ""
    abstract: str = ""
    id: str = Field(default="", description="Its own id where it is in the index: it is not recommended.")
    year: Annotated[int | None, Given(label="Year of your paper")] = Field(
        default=None, ge=FIRST_YEAR, le=LAST_YEAR, description="Only papers up to this year are recommended."
    )
    already_cited: Annotated[Names, Given(label="Papers you cite already")] = Field(
        default=(),
        description="Ids, DOIs, arXiv ids, PMIDs, titles or printed references: not recommended again, but used as "
        "evidence.",
    )
    liked: Names = Field(
        default=(), description="Papers to steer towards, named as in already_cited; they still are recommended."
    )
    disliked: Names = Field(
        default=(), description="Papers to steer away from, and to leave out, named as in already_cited."
    )
    copies: Annotated[Names, Given(where=())] = Field(
        default=(),
        description="Ids, DOIs, arXiv ids or PMIDs of other records of it: neither recommended nor evidence.",
    )
    # Names of people stay out of messages and logs, where a query may be printed.
    authors: Annotated[Names, Given("--author", "NAME", "Who writes it")] = Field(
        default=(),
        repr=False,
        description="Who writes it: what they wrote or cited before is marked, and the order stays. Never stored or "
        "logged.",
    )

    context: Annotated[str, Given(label="The sentence", where=("api", "page"))] = Field(
        default="",
        description="One to three sentences of the paper to find citations for, with or without a mark such as "
        "[CITATION] where the citation goes; title, abstract and already_cited then say what they stand in.",
    )

    def __post_init__(self) -> None:
        if self.context.strip() and not without_marks(self.context):
            raise FieldError(("context",), "holds no words beside the mark of the citation")
        if not any(getattr(self, name).strip() for name in TEXTS):
            name = f"the query {self.id!r}" if self.id else "the query"
            raise FieldError((), f"{name} has neither a title nor an abstract")
        for name in TEXTS:  # as what is copied from a PDF
            text = without_line_numbers(getattr(self, name)) or getattr(self, name)
            object.__setattr__(self, name, whole_words(unligated(composed(text))))

    @property
    def text(self) -> Text:
        """Title and abstract as the models read them: in plain text, without marks of citations by keys.

        Nor with what publishers print around them; one of both alone as `retrieval.asking` says what it is about.
        """
        if not self.abstract.strip():
            return self._plain(question)
        return self._plain(str if self.title.strip() else what_is_asked)

    @property
    def written(self) -> Text:
        """The same with all words, by which a paper is known: "What do we know about peer review?" may be its title."""
        return self._plain(str)

    def _plain(self, asked: Callable[[str], str]) -> Text:
        words = map(without_front_matter, (self.title, self.abstract))
        return Text(*(plain_text(without_unnumbered_marks(asked(part))) for part in words))

    @property
    def sentence(self) -> str:
        """The context in plain text, with one and the same mark for every citation."""
        return plain_text(marked_alike(self.context))

    @property
    def wanted(self) -> Text:
        """What papers are to be about: title and abstract, or where there is one the context."""
        return Text("", without_marks(self.sentence)) if self.context.strip() else self.text
