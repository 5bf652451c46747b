"""Text on one line."""

import pytest

from common.text import on_the_line, one_line, unaccented, unligated, whole_words
from encoders.text import Text
from indexer.readers.fields import collapse
from retrieval.plain_text import plain_text
from retrieval.query import Query


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("  two\n\twords ", "two words"),
        ("\x1b\n\u202e", ""),
        ("a \u202e b", "a b"),
        ("García\u00a0López", "García López"),
    ],
)
def test_one_line(text, line):
    assert one_line(text) == line


def test_what_is_copied_from_a_pdf_is_asked_in_letters():
    asked = Query("Eﬃcient reﬂection", "Oﬃces diﬀer. Müller ﬁnds Ω.", context="A ﬂow [CITATION].")
    assert (asked.title, asked.abstract) == ("Efficient reflection", "Offices differ. Müller finds Ω.")
    assert asked.context == "A flow [CITATION]."
    assert unligated("ﬅ ﬆ Straße") == "st st Straße"


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("Neural ma-\nchine trans- \n  lation, auto-\nmati-\r\ncally", "Neural machine translation, automatically"),
        ("перево-\nды prä\u2010\nzise", "переводы präzise"),
        ("rep\u00adre\u00adsen\u00ad\n  ta\u00adtions end\u00ad\n\nnow", "representations end\n\nnow"),
        ("state-\nof-the-art sequence-\nto-sequence", "state-of-the-art sequence-to-sequence"),
        ("open-\ndomain, Open-domain and open-\nended", "open-domain, Open-domain and openended"),
        (
            "short-\nand long-term, X-\nray, self-\nBERT, 3-\nfold",
            "short-\nand long-term, X-\nray, self-\nBERT, 3-\nfold",
        ),
        ("- a\n- b, pre-\n\ntrained", "- a\n- b, pre-\n\ntrained"),
    ],
)
def test_words_parted_at_the_ends_of_lines_are_whole(text: str, whole: str) -> None:
    assert whole_words(text) == whole
    assert Query("Title", text, context=text).abstract == Query("", context=text).context == whole


def test_soft_hyphens_are_no_part_of_records() -> None:
    assert collapse("rep\u00adre\u00adsen\u00ad\n ta\u00adtions of «words»") == "representations of «words»"


@pytest.mark.parametrize(
    ("text", "searched"),
    [
        ("N₂O, CH₄, PM₂.₅, 1,25(OH)₂D₃", "N2O, CH4, PM2.5, 1,25(OH)2D3"),
        ("Ca²⁺, δ¹⁸O, ¹³C-labelled (²⁰⁸Pb), km², m⁻², χ²", "Ca2+, δ18O, 13C-labelled (208Pb), km2, m-2, χ2"),
        ("µCT", "μCT"),
        ("𝐃𝐞𝐧𝐬𝐞 𝓇ℯ𝓉𝓇𝒾ℯ𝓋𝒶𝓁 at 𝟏𝟎 of 𝛂", "Dense retrieval at 10 of α"),
        ("10⁵, 10⁻³, SO₄²⁻", "10⁵, 10⁻³, SO4²⁻"),  # 10⁵ is not 105
        ("the results² of BERT³ and others,¹ ²Department", "the results² of BERT³ and others,¹ ²Department"),  # notes
        ("MoS$_2$, La$_{2-x}$Sr$_x$CuO$_4$, Ca$^{2+}$, $^{13}$C", "MoS2, La2-xSrxCuO4, Ca2+, 13C"),
        ("the results$^2$ of 3 deg$^{2}$, CaCO$_3$", "the results$^2$ of 3 deg$^{2}$, CaCO3"),  # as results², deg²
        (r"$\alpha$-synuclein, H$\alpha$, $\Lambda$CDM, $\varepsilon$", "α-synuclein, Hα, ΛCDM, ε"),
        ("10$^5$, $5 or $6, US$, A$ and B$, $HOME/a_b", "10$^5$, $5 or $6, US$, A$ and B$, $HOME/a_b"),
        (r"$\mathrm{CO}_2$, ${\rm MoS}_2$, $\text{PM}_{2.5}$, \ce{H2O}, \ce{Ca^2+}", "CO2, MoS2, PM2.5, H2O, Ca2+"),
        (r"high-$T_c$, $H_0$, $\ell_1$-norm, $L_p$, $x_i$, $k$-means", "high-Tc, H0, l1-norm, Lp, xi, k-means"),
        (r"$\alpha_1$, \(\alpha\), $\alpha$1, $\mathrm{H}\alpha$, \varepsilon-rules", "α1, α, α1, Hα, ε-rules"),
        (r"$$\beta $$-catenin, 5 $$\upmu $$m, $$\hbox {TiO}_{2}$$", "β-catenin, 5 μm, TiO2"),
        (r"the $k$k-means of $R$R-trees, n$$ n $$ is TiO2$$\hbox {TiO}_2$$", "the k-means of R-trees, n is TiO2"),
        (r"H\textsubscript{2}O, \textit{E. coli}, {\it Chandra}", "H2O, E. coli, {Chandra}"),
        (r"$\bar{B}_s\to\mu^+\mu^-$, $10^{5}$, $\sum_i$, 7$\times$x", r"\bar Bs\to μ+μ-, 10^5, \sum i, 7\times x"),
        ("plain m2, naïve", "plain m2, naïve"),
    ],
)
def test_digits_beside_the_line_are_searched_as_digits(text: str, searched: str) -> None:
    assert on_the_line(text) == searched
    assert Text(text, "").parts() == [searched]


@pytest.mark.parametrize(
    "text",
    ["df$a_b<-df$c, d$x$y", '"$A_B" "${A_B}"', "${a}${b}", "/^a$/ && /^b$/", '"$", "_", "$"', "($) or _ ($)"],
)
def test_variables_of_programs_and_dollar_signs_are_no_formulas(text: str) -> None:
    assert on_the_line(text) == plain_text(text) == text


def test_a_query_is_kept_as_it_is_written() -> None:
    asked = Query("N₂O of µm²", "CO₂", context="Ca²⁺ [CITATION]")
    assert (asked.title, asked.abstract, asked.context) == ("N₂O of µm²", "CO₂", "Ca²⁺ [CITATION]")


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("El Niño, El Nin\u0303o, naïve", "El Nino, El Nino, naive"),
        ("Łódź, Ørsted, Þór, œuvre", "Lodz, Orsted, THor, oeuvre"),
        ("Straße, STRAẞE", "Strasse, STRASSE"),
        ("हिन्दी 한국어 が β", "हिन्दी 한국어 が β"),
    ],
)
def test_accents_are_left_out(text: str, letters: str) -> None:
    assert unaccented(text) == letters
