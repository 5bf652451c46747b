"""Commands and signs of LaTeX in fields of BibTeX, read as text."""

import pytest
from growth import NEARLY_LINEAR, growth

from indexer.readers import ReadReport
from indexer.readers.latex_units import with_quantities
from indexer.readers.reading import papers_of_bytes

from .helpers import read, write


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        (r"p {\textless} 0.05 in {\textless}i{\textgreater}E. coli{\textless}/i{\textgreater}", "p < 0.05 in E. coli"),
        (r"{\textbar}x{\textbar} \textgreater{} 5 {\textminus} 3", "|x| > 5 − 3"),
        (r"R&D in M\"unchen &amp; Z{\"u}rich", "R&D in München & Zürich"),
        (r"TGF-\textbeta{}1 by \textlambda", "TGF-β1 by λ"),
        (r"At $\sqrt{s}=13$ TeV, $\sqrt{13}$, $\sqrt{ab}$", "At √s=13 TeV, √13, √(ab)"),
        (r"CO$_2$, {CO}$_{\textrm{2}}$, Ca$^{2+}$, 10$^{-3}$, $x^2$", "CO2, CO2, Ca2+, 10^-3, x^2"),
        (r"In $O(n\log n)$, $\log\log n$, $2\sin x$ or $n \max x$", "In O(n log n), log log n, 2 sin x or n max x"),
        (r"Bounds on $\|u\|_p$ and $\left\|v\right\|$", "Bounds on ‖u‖_p and ‖v‖"),
        (r"At 25~$^{\circ}$C", "At 25 °C"),
        (
            r"It saves $5 million and $6 million, \"{u}ber $x$ and $2 \times 3$",
            "It saves $5 million and $6 million, über x and 2 × 3",
        ),
        (r"One $ alone, \"{u}ber", "One $ alone, über"),
        (r"\LaTeXe{} and a \textasciicircum", "LaTeXe and a ^"),
        (r"Effects of CO<sub>2</sub> &amp; <i>E. coli</i>", "Effects of CO2 & E. coli"),
        (r"\href{https://example.org/a_b}{A link} on \"{u}", "A link on ü"),
        (r"\foreignlanguage{german}{Ein} \textcolor{red}{Titel}", "Ein Titel"),
        (r"Fish \\& chips, 5\\% of a\\_b", "Fish & chips, 5% of a_b"),
        (r"{\textquotedbl}Quoted{\textquotedbl}, \S{} 5, \euro{}7", '"Quoted", § 5, €7'),
    ],
)
def test_signs_and_markup_of_reference_managers_stay_readable(tmp_path, written, read_as):
    text = f"@article{{k, title={{{written}}}, journal={{Computers &amp; Education}}, author={{M&#252;ller, J.}}}}"
    paper = read(write(tmp_path / "refs.bib", text))[0]["k"]
    assert (paper.title, paper.venue, paper.authors) == (read_as, "Computers & Education", ("J. Müller",))


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        (r"at \SI{5}{\kilo\metre} range", "at 5 km range"),
        (r"\qty[per-mode = symbol]{10}{\mega\bit\per\second} links", "10 Mbit/s links"),
        (r"$\qty{1.5 +- 0.1}{\W\per\square\metre}$", "1.5 ± 0.1 W/m²"),
        (r"\SIrange{20}{37}{\celsius} and \SI{95}{\percent}", "20–37 °C and 95%"),
        (r"\num{1e3} of \numlist{1;2} in \si{\newton\metre}", "1e3 of 1, 2 in N m"),
        (r"\ang{45;30} at \SI{3}{m.s^{-1}} and \SI{2}{\parsec}", "45°30′ at 3 m s^-1 and 2 parsec"),
        (r"A unit \unit{\cubic\centi\metre} or \unit{\metre\tothe{4}} of \qty{x}", "A unit cm³ or m^4 of x"),
        (r"An angle of \ang{90}", "An angle of 90°"),
    ],
)
def test_numbers_and_units_of_siunitx_are_text(tmp_path, written, read_as):
    paper = read(write(tmp_path / "refs.bib", f"@misc{{k, title={{{written}}}}}"))[0]["k"]
    assert paper.title == read_as


@pytest.mark.parametrize("unit", ["\\SI{", "\\num[", "\\qty{a}{{", " "])
def test_what_is_no_quantity_costs_no_time(unit):
    def read(size):
        return with_quantities("\\SI" + unit * size)

    assert read(100) == "\\SI" + unit * 100
    assert growth(read, 50_000) < NEARLY_LINEAR


def test_what_ads_writes_for_journals_and_tildes_is_read(tmp_path):
    text = r"@ARTICLE{k, title={{A \raisebox{-0.5ex}\textasciitilde 10 kpc jet}}, journal={\apjl}}"
    paper = read(write(tmp_path / "refs.bib", text))[0]["k"]
    assert (paper.title, paper.venue) == ("A ~10 kpc jet", "The Astrophysical Journal Letters")


@pytest.mark.parametrize(
    ("less", "greater"),
    [
        (r"{\textless}", r"{\textgreater}"),
        (r"\textless ", r"\textgreater "),
        (r"\textless{}", r"\textgreater{}"),
        ("$<$", "$>$"),
        ("{$<$}", "{$>$}"),
        (r"$\lt$", r"$\gt$"),
        (r"\(<\)", r"\(>\)"),
        (r"\ensuremath{<}", r"\ensuremath{>}"),
    ],
)
def test_named_signs_of_latex_are_signs_of_dois_and_addresses(less, greater) -> None:
    doi = rf"10.1002/(SICI)1097-4571(199806)49:8{less}693::AID-ASI4{greater}3.0.CO;2-O"
    url = r"https://x.org/$\sim$doe/a\_b{\_}c\textunderscore d"
    entry = rf"@article{{a, title={{T {less}1}}, doi={{{doi}}}, url={{{url}}}}}"
    (paper,) = papers_of_bytes("a.bib", entry.encode(), ReadReport())
    assert paper.doi == "10.1002/(sici)1097-4571(199806)49:8<693::aid-asi4>3.0.co;2-o"
    assert paper.url == "https://x.org/~doe/a_b_c_d"
    assert paper.title == "T <1"
