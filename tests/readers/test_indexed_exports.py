"""A folder of exports becomes an index, whose citations are what the references of all of them lead to."""

from command_line import run

from .export_samples import EXPORT_SAMPLES, SCOPUS_RIS
from .helpers import write
from .samples import write_sample


def test_all_kinds_of_exports_in_one_folder_are_one_index(tmp_path):
    for name in EXPORT_SAMPLES:
        write_sample(tmp_path / "exports" / name, name)
    write(tmp_path / "exports" / "scopus.ris", SCOPUS_RIS)
    done = run("index", tmp_path / "exports", "--index", tmp_path / "ix", "--encoder", "none")
    assert done.code == 0, done.err
    # 32 records in 16 files. Three ids come twice, and the last record of each stays: PubMed gives two articles in both
    # of its formats, and Web of Science one, whose references differ.
    assert done.out.startswith("Indexed 29 papers with 8 citations among them"), done.out
    # 2 of 5 in Web of Science's text, 2 of 3 in its table, 2 of 3 and 1 of 3 of Scopus, 1 of 3 in JATS, 0 of 2 in TEI
    assert "Found 8 of 19 references among the papers: 8 by author, year, volume and page\n" in done.err
    assert "skipped" not in done.err
