"""A manuscript for a browser, and a sentence of it with the papers beside it."""

from browsing import every, one, wait

BIB = "@inproceedings{mine, title={Attention Is All You Need}, author={Vaswani, Ashish}, year={2017}}\n"
OUTSIDE = "@misc{private, title={A note that no index has}, author={Somebody, Ann}, year={2020}}\n"
FILES = {
    "paper/main.tex": r"""\documentclass{article}\title{Reading while writing}
\begin{document}\begin{abstract}We compare attention with recurrent networks.\end{abstract}
\section{Introduction}\input{body}\bibliography{refs}\end{document}""",
    "paper/body.tex": "\n\n".join(
        r"Attention lets a model look at every word \citep{mine,private}. Word embeddings were used before it. "
        rf"Paragraph {number} is about neural machine translation. Recurrent networks read one word after another."
        for number in range(12)
    ),
    "paper/refs.bib": BIB + OUTSIDE,
    "paper/figure.png": "no picture",
}


def words(browser, number):
    return one(browser, f"#s{number} a.words")


def titles(browser):
    return [title.text for title in every(browser, ".candidate-title")]


def choose(browser, number):
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", words(browser, number))
    words(browser, number).click()
    wait(browser, lambda: titles(browser) and not every(browser, "#papers[aria-busy]"))
