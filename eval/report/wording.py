"""What the page says of measures, rules and counts."""

from collections.abc import Mapping

from eval.metrics import METRICS
from eval.protocols import Candidates, Protocol
from eval.report.content import Report
from eval.significance import DRAWS

# Of every column of the table, in their order.
MEASURES: Mapping[str, str] = {
    **{name: metric.description for name, metric in METRICS.items()},
    "F1@20 of each query": "Mean over queries of each one's own F1@20.",
    "P@1": "Share of queries whose first paper is gold.",
    "bpref": "Only citations are judged here, so it is the share of gold papers that the list holds.",
    "F1@20 against the baseline": "F1@20 minus the baseline's.",
    "p (Holm)": (
        "Two-sided, of Fisher's randomisation test of that difference over the same queries, adjusted by Holm for all "
        "systems of the table."
    ),
}
_CANDIDATES: Mapping[Candidates, str] = {
    "all": "everything that is indexed",
    "filtered": "only papers of the training years; others are indexed, and taken out of the answers",
    "indexed": "only papers of the training years, because nothing else is indexed",
}
_NOT_LATER = " that are not of a later year than the citing paper"


def rules(report: Report) -> list[tuple[str, str]]:
    """How it was measured, as terms and their descriptions."""
    protocol = report.record.protocol
    strict = report.part in protocol.strict
    least = protocol.least_gold if strict else 1
    asked = "all" if protocol.sample is None else f"a sample of at most {protocol.sample:,}, drawn by the seed,"
    return [
        ("Corpus", report.record.source or "not stated"),
        ("Mode", f"{protocol.mode}: {_mode(protocol, report.record.named)}"),
        ("Parts", _parts(protocol, report.record.named)),
        ("Queries", f"{asked} of the {report.part} papers with {least:,} or more citations to find"),
        ("What may be found", _CANDIDATES[protocol.candidates]),
        ("What counts", "citations of papers in the corpus" + (_NOT_LATER if strict else "")),
        *([("Encoder of the vectors", report.encoder)] if report.encoder else []),
        ("Seeds", f"{protocol.seed} of the split, {report.seed} of intervals and tests ({DRAWS:,} draws)"),
        ("Program", f"citescout {report.version}"),
    ]


def counts(report: Report) -> list[tuple[str, int]]:
    """What there is."""
    found = report.record.counts
    return [
        ("papers", found.papers),
        ("citations that count", found.citations),
        ("papers to learn from", found.train),
        ("development queries", found.dev),
        ("test queries", found.test),
        ("queries scored here", report.queries),
        ("gold citations of these", report.gold_citations),
    ]


def left_out(report: Report) -> list[tuple[str, int]]:
    """What does not count, and who is not asked."""
    found = report.record.counts
    return [
        ("papers without a year", found.without_year),
        ("papers without an abstract", found.without_abstract),
        ("papers of years that do not belong to the protocol", found.outside_span),
        ("citations of papers that are not there", found.citations_outside),
        ("citations of papers of a later year", found.citations_later),
        ("citations of other records of the citing paper", found.citations_of_copies),
        ("papers that cite nothing that counts, which are not asked", found.citing_nothing),
        (
            f"papers with fewer citations to find than {report.record.protocol.least_gold:,}, which are not asked",
            found.with_few_citations,
        ),
        ("queries without a gold citation, which are not scored", report.queries_without_gold),
    ]


def _mode(protocol: Protocol, named: int | None) -> str:
    if protocol.mode == "transductive":
        return (
            "the index holds papers of all years, those that are asked among them, and what is newer than a query may "
            "be found and may vote; only the citations of the papers that are asked are hidden."
        )
    if named is not None:
        return "one index holds all papers, and a query sees only what is not newer than itself."
    return (
        "the index holds only papers from before the year of the first query of the part, and these alone count as "
        "gold; nothing newer than a query is seen."
    )


def _parts(protocol: Protocol, named: int | None) -> str:
    if named is not None:
        return f"{named:,} test papers given by name; the others are there to learn from"
    if protocol.first_years:
        dev, test = protocol.first_years
        return f"by year: development from {dev}, testing from {test}, what is older to learn from"
    whom = "all papers" if protocol.share_of == "papers" else "the papers that cite"
    return (
        f"by year, of {whom}: the oldest {protocol.train_share * 100:g} % to learn from, the rest halved "
        "into development and, the newest, testing"
    )
