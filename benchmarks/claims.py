"""How well the rule of `citescout review` finds sentences that need a citation: recall, precision, suggestions.

    python benchmarks/claims.py papers.jsonl sentences.jsonl
    python benchmarks/claims.py papers.jsonl sentences.jsonl --index runs/indexes/all-but-train --manuscript paper

Of the citing sentences (see docs/cite.md) only those of test papers count, and of those only sentences that stay whole
without the mark of the citation. Sentences of the papers' abstracts cite nothing. A manuscript's own citations are the
truth for its sentences: each is judged without its marks, by what stands before it. With an index, which must not know
what the test papers cite, the flagged citing sentences are asked for what to cite, with the paper's other citations.
"""

import argparse
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time

import numpy as np

from citescout.recommender import Recommender
from citescout.review.claims import cue_of, names_in, title_words_of
from common.sentences import sentences
from eval.corpora import sampled
from manuscripts import Manuscript, read_manuscript
from retrieval.citation_marks import without_marks
from training.contexts.sentences import CitingSentence, CitingSentences

HEADINGS = ("Related work", "Method")
CHANCES = (0, 5, 10, 20, 50)  # per cent
SHOWN = 3  # suggestions a sentence
ABSTRACTS = 5_000  # sentences
# A mark that is the subject or the object: "described in [CITATION]", "[CITATION] show that".
_BEFORE = (
    r"(?:^|\b(?:in|by|of|from|to|with|as|and|see|cf\.?|e\.g\.?,?|i\.e\.?,?|like|than|for|following|on|at|also|both|or|"
    r"that|the|al\.?)|[,(;])\s*"
)
PART_OF_SENTENCE = re.compile(rf"{_BEFORE}\[CITATION\]|\[CITATION\]\s*(?:['’]s|\w)", re.IGNORECASE)
PART_BEFORE = re.compile(rf"{_BEFORE}\[CITATION\]", re.IGNORECASE)


def plain(text: str) -> str:
    """The sentence as it is written by somebody who forgot to cite."""
    text = re.sub(r"\(\s*\[CITATION\]\s*\)", "[CITATION]", text)
    return re.sub(r"\s+([.,;:])", r"\1", without_marks(text))


def flagged_shares(name: str, texts: Sequence[str]) -> None:
    """Print the share of flagged sentences under each heading."""
    for heading in HEADINGS:
        share = np.mean([cue_of(text, heading) is not None for text in texts])
        print(f"{name}, {len(texts):,} sentences, below “{heading}”: {share:.3f} flagged")


def of_manuscripts(manuscripts: Sequence[Manuscript]) -> None:
    """Print precision and recall on the sentences of manuscripts."""
    rows: list[tuple[str | None, bool]] = []
    for manuscript in manuscripts:
        known = title_words_of(manuscript)
        for section in manuscript.sections:
            for paragraph in section.paragraphs:
                for sentence in paragraph.sentences:
                    counts = len(sentence.text.split()) >= 5 and not PART_BEFORE.search(sentence.with_marks())
                    if counts:
                        rows.append((cue_of(sentence.text, section.heading, known), bool(sentence.marks)))
                    if sentence.marks:
                        known |= names_in(sentence.text)
    cites = np.array([marks for _, marks in rows])
    flagged = np.array([cue is not None for cue, _ in rows])
    print(
        f"{len(manuscripts)} manuscripts, {len(rows)} sentences, {cites.sum()} cite, {flagged.sum()} flagged: "
        f"precision {cites[flagged].mean():.3f}, recall {flagged[cites].mean():.3f}"
    )
    for cue in dict.fromkeys(cue for cue, _ in rows if cue):
        of_cue = np.array([one == cue for one, _ in rows])
        print(f"  {cue}: {of_cue.sum()} flagged, precision {cites[of_cue].mean():.2f}")


def suggestions(known: CitingSentences, asked: Sequence[CitingSentence], directory: Path) -> None:
    """Print what flagged citing sentences get, and how much of it their papers cite."""
    with Recommender.open(directory, reranker="none") as recommender:
        queries = [(one, known.query(one, "citations, no year")) for one in asked]
        whole = [(one, replace(query, context=plain(one.text))) for one, query in queries if query]
        flagged = [(one, query) for one, query in whole if cue_of(query.context, HEADINGS[0])]
        if not flagged:
            return
        start = process_time()
        answers = list(recommender.answers([query for _, query in flagged], replace(recommender.settings, k=SHOWN)))
        print(f"{len(flagged)} flagged citing sentences, {(process_time() - start) / len(flagged):.3f} CPU s each")
    for chance in CHANCES:
        shown = [[entry.paper.id for entry in answer.recommendations if entry.score >= chance] for answer in answers]
        right = [[paper in one.cited for paper in papers] for papers, (one, _) in zip(shown, flagged, strict=True)]
        some = [papers for papers in right if papers]
        hits = np.mean([any(papers) for papers in some])
        precision = np.mean([each for papers in some for each in papers])
        print(
            f"  from {chance} %: {len(some) / len(flagged):.3f} of them get some, of these {hits:.3f} a right one; "
            f"{precision:.3f} of all are right"
        )


def main() -> None:
    """Measure what the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("sentences", type=Path)
    parser.add_argument("--index", type=Path, default=None)
    parser.add_argument("--manuscript", type=Path, action="append", default=[])
    given = parser.parse_args()
    known = CitingSentences(given.corpus, given.sentences)
    citing = [one for one in known.of("test") if not PART_OF_SENTENCE.search(one.text) and "[CITATION]" in one.text]
    if citing:
        flagged_shares("citing", [plain(one.text) for one in citing])
    abstracts = [text for paper in known.papers(()) for text in sentences(paper.abstract) if len(text.split()) >= 5]
    flagged_shares("of abstracts", sampled(abstracts, ABSTRACTS, 0))
    if given.manuscript:
        of_manuscripts([read_manuscript(path) for path in given.manuscript])
    if given.index and citing:
        suggestions(known, citing, given.index)


if __name__ == "__main__":
    main()
