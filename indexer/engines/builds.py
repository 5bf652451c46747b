"""A build whose texts and vectors go to an engine: catalog, citations and years stay in the index directory.

Every build fills a collection of its own, so that the one before answers until the new one is complete. Its name
follows from the directory and from everything that goes into it: a build that is killed is taken up where it was. Once
the new generation is served, collections of this directory that no generation names any more are dropped.
"""

import hashlib
import logging
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from common.errors import EmptyIndexError, EngineError, IndexDirectoryError
from indexer.assembly import finish, write_arrays, write_bm25
from indexer.builds import built_manifest, map_queries
from indexer.catalog import Catalog
from indexer.catalog_writing import build_catalog
from indexer.citations import load_array
from indexer.directory import next_generation, writing
from indexer.encoding import text_key
from indexer.engines.address import EngineAddress, EngineRecord
from indexer.engines.english import ANALYZER, stored_text
from indexer.engines.milvus_collection import FLOATS
from indexer.engines.milvus_connection import Milvus
from indexer.engines.milvus_ingest import Contents, fill
from indexer.engines.term_table import write_terms
from indexer.former_ids import keep_former_ids
from indexer.generations import load_encoder
from indexer.layout import LAYOUT
from indexer.manifest import Manifest
from indexer.paper import Paper
from indexer.papers_digest import PapersDigest

_log = logging.getLogger(__name__)

DEFAULT_FLOATS = "fp16"
_OWNER, _DIGEST = 6, 12  # hexadecimal digits in a collection's name


def build_on_engine(
    papers: Iterable[Paper],
    directory: Path,
    engine: str,
    encoder: str | None = "minilm",
    kind: str = DEFAULT_FLOATS,
) -> Manifest:
    """Index `papers` as the next generation of `directory`, with texts and vectors in `engine`, and serve it.

    The arguments are those of `builds.build_index`; `engine` is an address (`engines.address`), `kind` how it
    keeps vectors, fp16 or fp32.

    Raises:
        EngineError: the address is none, the engine does not answer, refuses or loses something.
        IndexDirectoryError, IndexLockedError, ModelError: see `build_index`.
    """
    address = EngineAddress.parsed(engine)
    if kind not in FLOATS:
        raise EngineError(f"an engine keeps vectors as {' or '.join(FLOATS)}, not {kind}; ?index= says how it searches")
    if encoder and address.embedded and kind == "fp16" and address.index != "FLAT":
        raise EngineError(
            f"Milvus Lite searches 16-bit vectors by FLAT alone: --vectors fp32 goes with {address.index}"
        )
    if encoder is None and not address.holds_texts:
        raise EngineError("without an encoder and with bm25=lucene there is nothing that the engine would hold")
    text_encoder = load_encoder(encoder) if encoder is not None else None
    offered = PapersDigest()
    with Milvus(address) as milvus, writing(directory):
        owner = f"{address.collection}_{hashlib.sha256(str(directory.resolve()).encode()).hexdigest()[:_OWNER]}_"
        with next_generation(directory) as folder:
            count = build_catalog(offered.passing(papers), folder / LAYOUT.catalog)
            if not count:
                raise EmptyIndexError("no paper to index: the sources hold none that could be read")
            keep_former_ids(folder / LAYOUT.catalog, directory)
            citations = write_arrays(folder, count)
            catalog = Catalog(folder / LAYOUT.catalog)
            shortened = _write_texts(catalog, count, address, folder)
            years = load_array(folder / LAYOUT.years)
            contents = Contents(count, catalog.all_texts, years, text_encoder, kind)
            name = owner + _digest(contents, address)[:_DIGEST]
            collection = fill(milvus, name, contents)
            if text_encoder:
                map_queries(folder, text_encoder.name, lambda docids: collection.vectors(docids.tolist()))
            catalog.close()
            built = built_manifest(count, citations, text_encoder, offered)
            record = EngineRecord(str(address), name, shortened)
            manifest = finish(folder, replace(built, vectors=kind, engine=record))
        _drop_unused(milvus, owner, directory)
        return manifest


def _write_texts(catalog: Catalog, papers: int, address: EngineAddress, folder: Path) -> int:
    """What BM25 needs in the directory: the table of terms, or all of it; returns how many texts are shortened."""
    if not address.holds_texts:
        write_bm25(folder, catalog.all_texts(), papers)
        return 0
    shortened = 0

    def stored() -> Iterator[str]:
        nonlocal shortened
        for _, text in catalog.all_texts():
            kept, cut = stored_text(text)
            shortened += cut
            yield kept

    write_terms(stored(), folder / LAYOUT.terms)
    return shortened


def _digest(contents: Contents, address: EngineAddress) -> str:
    """Of all that a collection holds and of how it is made."""
    made = (
        ANALYZER if address.holds_texts else None,
        (address.k1, address.b),
        address.index,
        address.build_parameters(),
        address.shards,
        contents.kind,
        contents.encoder.digest if contents.encoder else None,
        contents.papers,
    )
    digest = hashlib.sha256(repr(made).encode())
    for _, text in contents.texts():
        digest.update(text_key(text))
    digest.update(contents.years.tobytes())
    return digest.hexdigest()


def _drop_unused(milvus: Milvus, owner: str, directory: Path) -> None:
    """Drop what killed builds left and what served generations that are gone."""
    named = set(_collections_named(directory))
    try:
        for name in milvus.call("list_collections"):
            if name.startswith(owner) and name not in named:
                milvus.call("drop_collection", name)
    except EngineError as error:  # the index is served, and the next build tries again
        _log.warning("old collections are left: %s", error)


def _collections_named(directory: Path) -> Iterator[str]:
    for entry in directory.iterdir():
        try:
            record = Manifest.read(entry).engine if entry.is_dir() else None
        except IndexDirectoryError:
            continue  # half deleted
        if record:
            yield record.collection
