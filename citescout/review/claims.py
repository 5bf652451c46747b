"""Which sentences of a manuscript could need a citation and have none: a cheap rule on English words.

docs/review.md has its precision and recall, and what it does not see.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from citescout.review.review_parts import Cue, Location
from manuscripts.manuscript import Manuscript, Sentence
from retrieval.citation_marks import has_typed_citation, wants_citation

_WORK = (
    r"(?:work|works|stud(?:y|ies)|research|researchers|approach|approaches|methods|models|systems|techniques|attempts|"
    r"efforts|literature|papers|authors|findings|proposals|evidence|algorithms)"
)
# "several recent studies", "researchers have", "has been widely used"
_OTHER_WORK = re.compile(
    rf"\b(?:previous|prior|earlier|recent|existing|related|past|other|much|extensive|little|pioneering|seminal|"
    rf"subsequent|several|many|some|most|numerous|various|a number of|a variety of|few|others)\s+(?:\w+\s+){{0,2}}"
    rf"{_WORK}\b"
    r"|\b(?:the|in) literature\b"
    r"|\b(?:stud(?:y|ies)|researchers|scholars|authors|scientists)\s+"
    r"(?:have|has|had|show|suggest|find|found|report|argue)\b"
    r"|\b(?:has|have|had)\s+(?:\w+ly\s+|also\s+|long\s+|been\s+|often\s+)*(?:shown|proposed|used|studied|found|"
    r"demonstrated|developed|introduced|applied|reported|suggested|argued|explored|investigated|addressed|presented|"
    r"employed|considered|adopted|examined|proven|proved|focused|become|led|achieved|attracted|received|emerged|tried|"
    r"observed|noted|described|exploited|tackled|extended|improved)\b",
    re.IGNORECASE,
)
# "state-of-the-art", "is commonly", "in recent years"
_USUAL = re.compile(
    r"state[- ]of[- ]the[- ]art|\b(?:widely|commonly|frequently|often|typically|traditionally|usually|generally|"
    r"successfully|extensively|increasingly|well[- ](?:known|studied|established)|popular|standard|classic(?:al)?|"
    r"traditional|conventional|influential|so-called|recent(?:ly)?|original(?:ly)?)\b"
    r"|\b(?:in|over|during)\s+(?:the\s+)?(?:recent|last|past)\b|\bfirst (?:proposed|introduced)",
    re.IGNORECASE,
)
# "we use", "trained with", "based on"
_USES = re.compile(
    r"\b(?:use[sd]?|using|employ(?:s|ed|ing)?|adopt(?:s|ed|ing)?|apply|applied|applying|follow(?:s|ed|ing)?|"
    r"train(?:ed)? (?:with|using|on)|buil[dt] on|based on|extend(?:s|ed|ing)?|via|implement(?:s|ed)?)\b",
    re.IGNORECASE,
)
_AS = re.compile(
    r"\b(?:according to|following|as in|in line with|consistent with|contrary to|inspired by|such as|similar to|unlike|"
    r"similarly|variant of|known as)\b|\be\.g\.",
    re.IGNORECASE,
)
# What somebody made or found: "the corpus", "estimated", "12 %", "was first proposed"
_KNOWN = re.compile(
    r"\b(?:corpus|corpora|data ?sets?|benchmark|toolkit|library|software|database|ontology|lexicon|implementation|"
    r"algorithm|scale|questionnaire|protocol|framework|theory|theorem|architecture|suggest(?:s|ed)?|evidence|"
    r"demonstrat\w+|argue[sd]?|hypothes\w+|million|billion|estimated|per ?cent)\b|\d\s?%"
    r"|\b(?:is|are|was|were)\s+(?:\w+ly\s+|also\s+|first\s+)*(?:proposed|introduced|developed|described|shown|known|"
    r"called|defined|reported|applied|implemented)\b",
    re.IGNORECASE,
)
# "we", "in this paper"; of results also "outperforms", "our baseline"
_OWN = re.compile(
    r"\b(?:we|i|our|ours|us|my|here|below|above|in what follows)\b"
    r"|\b(?:this|the present|the current|present|current)\s+(?:paper|section|work|study|chapter|article|thesis|report|"
    r"experiment|method|approach|model|system)\b",
    re.IGNORECASE,
)
_OWN_RESULT = re.compile(
    r"\b(?:our|ours|us|my|here|below|above|results?|baselines?|outperform\w*|improve(?:s|ment)?s?|performance|accuracy|"
    r"experiments?|significant\w*|proposed)\b|\bthis (?:paper|section|work|study|chapter|article|thesis)\b",
    re.IGNORECASE,
)
# Tables, figures and sections of the paper itself.
_OWN_PARTS = "tables?|figures?|sections?|equations?|algorithms?|appendix|appendices|chapters?"
_POINTS = re.compile(
    rf"\b(?:{_OWN_PARTS}|fig\.?|sect?\.|eqs?\.?|rows?|columns?)(?:\s*\(?\d|\s+\(?(?-i:[A-Z](?:\.?\d+)*|[IVX]+)\b)"
    # As LaTeX leaves them, whose numbers are not known: "Table shows", "in Section."
    rf"|\b(?-i:{_OWN_PARTS.title()})(?:\s+(?:shows?|gives?|lists?|describes?|reports?|summari[sz]es?|presents?|compares?"
    r"|illustrates?|depicts?|contains?)\b|\s*[.,;:)])",
    re.IGNORECASE,
)
# BM25, GloVe, Penn Treebank; not at the beginning of a sentence, where every word has a capital.
_NAME = re.compile(
    r"(?<![.!?] )(?<!^)\b(?:[A-Z]?[a-z]+[A-Z]\w*|[A-Z]{2,}[a-z]?[\w-]*|[A-Z][a-z]+(?:-[A-Z][a-z]+)+"
    r"|[A-Z][a-z]{2,}(?:[ ’'][A-Z][a-z]+)+)\b"
)
_ENDS = re.compile(r"[.!?…。！？][\"'”’»)\]]*$")
_OF_OTHERS = re.compile(
    r"introduc|related|background|literature|previous|prior|state of the art|motivation|theor|review|history",
    re.IGNORECASE,
)
_NEVER = re.compile(
    r"abstract|conclusi|acknowledg|results?\b|summary|contribution|ablation|future work|references|bibliography|"
    r"funding|appendi|declaration|availability|ethic\w* (?:statement|approval)|"
    r"(?:(?:conflicts? of|competing) interests?|(?<![\w-] )(?<![\w-])disclosures?|informed consent|"
    r"(?:figure|table)s? (?:legend|caption)s?)(?: statements?)?\W*$",
    re.IGNORECASE,
)
# A source that no list has: "(A. Roe, unpublished data)", "(pers. comm.)", "(ibid., 14)".
_UNLISTED = re.compile(
    r"[(\[](?:[^()\[\]]*[\s,])?(?:unpublished (?:data|results?|observations?|manuscripts?)|"
    r"pers(?:onal|\.) ?(?:comm|obs)|ibid\b|op\. cit|loc\. cit)[^()\[\]]*[)\]]",
    re.IGNORECASE,
)
# Names in a sentence that says what was searched: "MEDLINE, Embase and CENTRAL were searched for (oak* AND town)".
_SEARCH = re.compile(r"\bsearch(?:ed|es|ing)?\b", re.IGNORECASE)
_SEARCHED = frozenset(
    re.split(
        " *, *",
        "MEDLINE, EMBASE, PubMed, PsycINFO, PsycInfo, PsycArticles, CINAHL, CENTRAL, Cochrane Library, Google Scholar, "
        "ERIC, LILACS, JSTOR, ProQuest, IEEE, ACM, ClinicalTrials, MeSH, AND, OR, NOT",
    )
)
_FEWEST_WORDS = 6
_SHOWN = 100  # characters of a sentence by which it is found again


@dataclass(frozen=True, slots=True)
class Uncited:
    """A sentence that could need a citation."""

    location: Location
    sentence: Sentence
    cue: Cue


def uncited_claims(manuscript: Manuscript) -> Iterator[Uncited]:
    """The sentences that could need a citation and have none, nor a note with one, in the order of the text."""
    known = title_words_of(manuscript)
    for sentence, location in located(manuscript):
        if sentence.marks or sentence.noted or has_typed_citation(sentence.text):
            known |= names_in(sentence.text)
        elif cue := cue_of(sentence.text, location.section, known):
            yield Uncited(location, sentence, cue)


def located(manuscript: Manuscript) -> Iterator[tuple[Sentence, Location]]:
    """Every sentence and where it is, in the order of the text."""
    for section in manuscript.sections:
        for number, paragraph in enumerate(section.paragraphs, 1):
            for sentence in paragraph.sentences:
                file, line = (sentence.place.file, sentence.place.line) if sentence.place else ("", None)
                yield sentence, Location(file, line, section.heading, number, sentence.text[:_SHOWN])


def cue_of(sentence: str, heading: str, known: frozenset[str] | set[str] = frozenset()) -> Cue | None:
    """What makes a sentence without citations one that could need some, below this heading; None for one that does not.

    `known` are names that need none, because they were cited before.
    """
    if wants_citation(sentence):
        return "marked"
    if len(sentence.split()) < _FEWEST_WORDS or not _ENDS.search(sentence):
        return None
    if _NEVER.search(heading) or _POINTS.search(sentence) or _UNLISTED.search(sentence):
        return None
    own = bool(_OWN.search(sentence))
    if not own and _OTHER_WORK.search(sentence):
        return "other work"
    if not own and _USUAL.search(sentence):
        return "usual"
    named = names_in(sentence)
    new_names = not named <= known | (_SEARCHED if _SEARCH.search(sentence) else frozenset())
    if new_names and (
        (_USES.search(sentence) and not _OWN_RESULT.search(sentence)) or (_AS.search(sentence) and not own)
    ):
        return "named"
    if not own and _OF_OTHERS.search(heading) and (new_names or _AS.search(sentence) or _KNOWN.search(sentence)):
        return "background"
    return None


def title_words_of(manuscript: Manuscript) -> set[str]:
    """The words of its title: what its own system is called needs no citation."""
    return set(re.findall(r"\w[\w-]*", manuscript.title))


def names_in(sentence: str) -> set[str]:
    """What looks like the name of a system, a data set or a person."""
    return {found[0] for found in _NAME.finditer(sentence)}
