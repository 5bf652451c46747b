"""Questions to begin with, for people who have no text at hand."""

from dataclasses import dataclass

from common.text import one_line
from exports.column_width import shortened
from manuscripts.draft import Draft
from webui.site import Site

_LABEL = 100  # characters of a title


@dataclass(frozen=True, slots=True)
class Example:
    """A question that a click asks."""

    key: str  # in the address
    label: str
    title: str
    abstract: str
    id: str = ""  # of the paper of the index that it is, which is left out as such


# About information retrieval, NLP and machine learning: what the demo corpus holds.
DEMO = (
    Example(
        "rerank",
        "Reranking passages with language models",
        "Reading fewer passages: early exits for cross-encoder reranking",
        "Rerankers built on pre-trained transformers read every query together with every candidate passage, which "
        "makes them accurate and slow. We study when reading can stop early. A BM25 first stage supplies a thousand "
        "candidates, a dense bi-encoder reorders them, and a BERT cross-encoder is applied only while its scores still "
        "change the top of the list. On MS MARCO and TREC Deep Learning topics, early exits keep the effectiveness of "
        "full reranking while scoring a tenth of the passages, and knowledge distillation narrows the gap further.",
    ),
    Example(
        "citations",
        "Recommending citations from text and graphs",
        "Where words and references meet: citation recommendation with document embeddings",
        "Given the title and abstract of a manuscript, we recommend papers that it should cite. Our model learns "
        "document representations from the citation graph with contrastive triplets, so that papers which cite each "
        "other lie close together, and combines nearest neighbours in that space with the words that a bag-of-words "
        "ranking function matches. Experiments on scientific corpora show that both views find different references, "
        "and that features such as co-citation and PageRank help a learned ranker merge them.",
    ),
    Example(
        "translation",
        "Attention in sequence models",
        "What does attention add to recurrent translation models?",
        "Neural machine translation began with recurrent encoder-decoder networks, gained attention over source words, "
        "and moved on to models that consist of attention alone. We compare long short-term memory networks, gated "
        "recurrent units and transformers of equal size under equal training, with subword vocabularies and the same "
        "optimiser, and measure translation quality by BLEU. We then ask how far pre-training on unlabelled text "
        "explains the advantage of the transformer on small parallel corpora.",
    ),
)


def examples(served: Site) -> tuple[Example, ...]:
    """Those of the demo; of another index, papers that it cites often."""
    if served.demo:
        return DEMO
    papers = served.answers.recommender.well_cited()
    drafts = {paper.id: Draft(one_line(paper.title), paper.abstract).shortened() for paper in papers}
    return tuple(
        Example(id_, shortened(one.title, _LABEL), one.title, one.abstract, id_) for id_, one in drafts.items()
    )
