"""Changing an index that is served: papers added, replaced and removed, and the compaction that tidies up after them.

Each change is a generation of its own, made of the one before. What is large and did not change (Lucene's files,
which are written once, and vectors) is shared by hard links; docids of papers that are gone stay behind as removed
until `compact_index`, after which the index is the one that a fresh build of the same papers makes.
"""

import shutil
from collections.abc import Iterable, Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from common.errors import EmptyIndexError, EngineError, ModelError, UnknownPapersError
from common.sequences import texts_of
from common.words import counted, listed
from indexer.assembly import finish, link, write_arrays, write_bm25
from indexer.builds import encode_papers, encoded_by, map_queries
from indexer.catalog import Catalog
from indexer.catalog_writing import CatalogChange, add_to_catalog, build_catalog, remove_from_catalog
from indexer.dense_writing import Dense, append_dense, write_dense
from indexer.described_works import citing_known, citing_later
from indexer.directory import next_generation, writing
from indexer.encoding import KnownVectors, PartialVectors, delete_partial, vectors_of
from indexer.generations import OpenGeneration, check_not_moved, load_encoder, open_generation, served_manifest
from indexer.identity.identifiers import pmid_key
from indexer.identity.keys import Key, id_key, keys_of, paper_from_text
from indexer.layout import LAYOUT
from indexer.manifest import Manifest
from indexer.merging import MergeReport, merged_into
from indexer.paper import Paper
from indexer.structures import FLAT
from indexer.vector_choice import least_papers
from indexer.vectors import DEFAULT_KIND

_SHOWN_IDS = 5

_BM25 = (LAYOUT.bm25, LAYOUT.bm25_labels, LAYOUT.bm25_docids)
_DENSE = (LAYOUT.vectors, LAYOUT.originals, LAYOUT.structure, LAYOUT.query_map, LAYOUT.nearness)
_WITHOUT_VECTORS = (*_BM25, LAYOUT.catalog, LAYOUT.removed, LAYOUT.years, LAYOUT.graph, LAYOUT.outside)


@dataclass(frozen=True, slots=True)
class Change:
    """A change and what the index is after it."""

    papers: CatalogChange
    manifest: Manifest


def add_papers(
    papers: Iterable[Paper],
    directory: Path,
    merging: MergeReport | None = None,
    anew: Set[str] = frozenset(),
    renaming: bool = False,
) -> Change:
    """Add `papers` to the index in `directory`; one whose id is there replaces that one.

    With `merging`, one that is there under any id is joined with the record that is there, which keeps its id. The
    papers of the ids `anew` are only what is offered of them: what was there is not joined, and goes with its id. With
    `renaming`, an entry of a bibliography that differs from one there in its key replaces it, and answers to both keys.

    Raises:
        IndexDirectoryError: no index there, a damaged one, or no paper at all.
        EngineError: an engine holds the texts.
        IndexLockedError: another process is writing there.
        ModelError: the encoder of the index cannot be loaded, or is another model by now.
    """
    with _changing(directory) as (base, folder):
        first = base.manifest.docid_count
        shutil.copyfile(base.folder / LAYOUT.catalog, folder / LAYOUT.catalog)
        merged: list[str] = []
        papers = citing_known(papers, base.catalog)
        if merging:
            papers = merged_into(base.catalog, papers, merging, merged, anew)
        change = add_to_catalog(papers, folder / LAYOUT.catalog, first, merging is not None, renaming)
        gone = base.catalog.docids(merged)
        if not any((change.added, change.replaced, change.updated, change.unchanged)):
            raise EmptyIndexError("no paper to add: the sources hold none that could be read")
        if not any((change.added, change.replaced, change.updated, gone)):
            return Change(change, base.manifest)
        removed = remove_from_catalog(gone.values(), folder / LAYOUT.catalog)
        _cite_later(base, folder / LAYOUT.catalog)
        return Change(change, _with_catalog(base, folder, change.added + change.replaced, change.replaced + removed))


def _cite_later(base: OpenGeneration, path: Path) -> None:
    """Have the papers of the base cite what they describe, where the catalog at `path` has it by now."""
    catalog = Catalog(path)
    add_to_catalog(
        citing_later(base.catalog, base.outside, catalog, base.manifest.docid_count), path, base.manifest.docid_count
    )
    catalog.close()


def remove_papers(ids: Iterable[str], directory: Path) -> Manifest:
    """Remove the papers of these ids, all or none.

    For an id may stand that of a record that was merged into the paper, or its DOI, arXiv id or PMID.

    Raises:
        UnknownPapersError: an id is not in the index, or names several papers there.
        EmptyIndexError: no paper would be left.
        IndexDirectoryError: no index there, or a damaged one.
        IndexLockedError: another process is writing there.
    """
    wanted = list(dict.fromkeys(texts_of(ids, "ids")))
    with _changing(directory) as (base, folder):
        known = base.catalog.docids(wanted)
        named = {id_: _docids_by_other_names(base.catalog, id_) for id_ in wanted if id_ not in known}
        if several := next((id_ for id_, docids in named.items() if len(docids) > 1), None):
            ids_of = base.catalog.ids(named[several])
            raise UnknownPapersError(
                f"{several} names {len(ids_of)} papers ({listed(ids_of, _SHOWN_IDS)}): nothing was removed; "
                "give the id of one"
            )
        known |= {id_: docids[0] for id_, docids in named.items() if docids}
        if unknown := [id_ for id_ in wanted if id_ not in known]:
            shown = listed(unknown, _SHOWN_IDS)
            raise UnknownPapersError(
                f"{len(unknown)} of {counted(len(wanted), 'id')} {'is' if len(unknown) == 1 else 'are'} not in "
                f"{directory} ({shown}): nothing was removed"
            )
        docids = set(known.values())
        if len(docids) == base.manifest.papers:
            raise EmptyIndexError(f"{directory} would have no paper left: delete the folder instead")
        if not docids:
            return base.manifest
        shutil.copyfile(base.folder / LAYOUT.catalog, folder / LAYOUT.catalog)
        return _with_catalog(base, folder, 0, remove_from_catalog(docids, folder / LAYOUT.catalog))


def _docids_by_other_names(catalog: Catalog, name: str) -> list[int]:
    """The docids of the papers that have a name as the id of a merged record, or else as DOI, arXiv id or PMID."""
    identifiers = [key for key in keys_of(paper_from_text(name)) if key.kind != "title"]
    if pmid := pmid_key(name, bare=True):
        identifiers.append(Key("pmid", pmid))
    by_key = (catalog.docids_by_key([str(key)]).get(str(key), []) for key in (id_key(name), *identifiers))
    return next(filter(None, by_key), [])


def compact_index(directory: Path) -> Manifest:
    """Rewrite the index without what was removed, as a fresh build of its papers would; nothing is encoded.

    Raises:
        IndexDirectoryError: no index there, or a damaged one.
        IndexLockedError: another process is writing there.
        ModelError: the folder of the encoder, which says whether a query map is of use, is not there any more.
    """
    with _changing(directory) as (base, folder):
        check_not_moved(base)
        manifest = _write_papers_in_order(base, folder)
        if (encoder := manifest.encoder) is not None:
            manifest = _write_vectors_in_order(base, folder).described(manifest)
            map_queries(folder, encoder)
        return finish(folder, manifest)


def reencode(directory: Path, encoder: str) -> Manifest:
    """Give the index in `directory` the vectors of another encoder, as a fresh build with that one has them.

    The index as it was is served meanwhile. What is encoded when the process ends early is taken over by the next call.
    Papers, BM25 and citations are shared with the generation before; where papers were added or removed since the
    build, they are compacted as well. Nothing is done where the vectors are this encoder's by this name.

    Raises:
        IndexDirectoryError: no index there, or a damaged one.
        IndexLockedError: another process is writing there.
        EngineError: an engine holds the vectors.
        ModelError: the encoder cannot be loaded.
        VectorChoiceError: its vectors do not fit the memory that the build was given.
    """
    served_manifest(directory)  # no index there: say so before an encoder is downloaded
    text_encoder = load_encoder(encoder)
    with _changing(directory) as (base, folder):
        manifest = base.manifest
        if (manifest.encoder_digest, manifest.encoder) == (text_encoder.digest, text_encoder.name):
            return manifest
        if np.array_equal(base.catalog.docids_in_id_order(), np.arange(manifest.docid_count)):
            link(_WITHOUT_VECTORS, base.folder, folder)
        else:
            manifest = _write_papers_in_order(base, folder)
        dense = encode_papers(folder, manifest.papers, text_encoder, manifest.asked)
        manifest = finish(folder, encoded_by(dense.described(manifest), text_encoder), base)
        delete_partial(directory)
        return manifest


@contextmanager
def _changing(directory: Path) -> Iterator[tuple[OpenGeneration, Path]]:
    """The served generation, sound in every byte, and the folder of the one that follows it."""
    served = served_manifest(directory)[1]  # no index there: say so before the lock creates a folder
    if served.engine:
        raise EngineError(
            f"{directory} has its texts and vectors in {served.engine.address}: they are not changed in place; "
            "run `citescout index` with --engine on all papers, the old index answers until the new one is complete"
        )
    with writing(directory), next_generation(directory) as folder, open_generation(directory, full_check=True) as base:
        yield base, folder


def _with_catalog(base: OpenGeneration, folder: Path, fresh: int, gone: int) -> Manifest:
    """Write and serve what follows from a changed catalog, with so many new docids and papers gone."""
    manifest, partial = base.manifest, None
    if fresh:
        manifest, partial = _append_texts(base, folder, fresh)
    else:
        link((*_BM25, *_DENSE), base.folder, folder)
    manifest = replace(
        manifest,
        papers=manifest.papers + fresh - gone,
        citations=write_arrays(folder, manifest.docid_count + fresh),
        removed=manifest.removed + gone,
        papers_digest=None,
    )
    manifest = finish(folder, manifest, base)
    if partial:
        partial.delete()
    return manifest


def _append_texts(base: OpenGeneration, folder: Path, fresh: int) -> tuple[Manifest, PartialVectors | None]:
    """BM25 and vectors of the served generation, and behind them those of the papers that are new in the catalog.

    Returns the manifest with what vectors are now, and what may be deleted once they are served.
    """
    first = base.manifest.docid_count
    catalog = Catalog(folder / LAYOUT.catalog)
    link([LAYOUT.bm25], base.folder, folder)
    write_bm25(folder, catalog.all_texts(first), fresh, base.folder)
    manifest, partial = base.manifest, None
    if manifest.encoder is not None:
        check_not_moved(base)
        encoder = load_encoder(manifest.encoder)
        if encoder.digest != base.manifest.encoder_digest:
            raise ModelError(
                f"the encoder '{base.manifest.encoder}' is not the model that {folder.parent} was built with: "
                "build the index again"
            )
        texts = (text for _, text in catalog.all_texts(first))
        partial = PartialVectors(folder.parent, encoder, manifest.vectors)
        known = KnownVectors(encoder.dimension, manifest.vectors)
        vectors = np.concatenate([base.vectors(), vectors_of(texts, fresh, encoder, known, partial)])
        live = catalog.docids_in_id_order()
        manifest = append_dense(base.folder, folder, vectors, first, manifest, live).described(manifest)
        link((LAYOUT.query_map, LAYOUT.nearness), base.folder, folder)
    catalog.close()
    return manifest, partial


def _write_papers_in_order(base: OpenGeneration, folder: Path) -> Manifest:
    """All but the vectors of the papers that are left, in the order of their ids."""
    papers = base.manifest.papers
    build_catalog(base.catalog.all_papers(), folder / LAYOUT.catalog)
    catalog = Catalog(folder / LAYOUT.catalog)
    write_bm25(folder, catalog.all_texts(), papers)
    catalog.close()
    return replace(base.manifest, citations=write_arrays(folder, papers), removed=0)


def _write_vectors_in_order(base: OpenGeneration, folder: Path) -> Dense:
    """The vectors of the papers that are left, in the order of their ids; codes and a structure rebuilt from them.

    Where too few are left for the structure, they are scanned.
    """
    choice = base.manifest.choice
    if base.manifest.eight_bits:
        choice = replace(choice, kind=DEFAULT_KIND)
    if base.manifest.papers < least_papers(choice.search):
        choice = replace(choice, search=FLAT)
    vectors = base.vectors()[base.catalog.docids_in_id_order()]
    return write_dense(folder, vectors, choice, base.manifest.asked)
