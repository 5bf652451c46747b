"""A manuscript for the page, and what its pages show of it."""

import html
import re

from web_pages import Text, sent

ONE, OTHER = f"/s/{'A' * 22}", f"/s/{'B' * 22}"
SENTENCES = (
    "Passages are retrieved by neural rankers.",
    "Neural rankers read passages  and others do not .",
    "Passages and queries become vectors, which is a search for near neighbours.",
    "Nobody has an entry for this .",
)
MAIN = rf"""\documentclass{{article}}
\title{{Reading passages}}
\begin{{document}}
\begin{{abstract}}We retrieve passages with neural ranking models.\end{{abstract}}
\section{{Introduction}}
{SENTENCES[0]} Neural rankers read passages \citep{{ranking,elsewhere}} and others do not \citep{{elsewhere}}.
\subsubsection{{Deep down}}
{SENTENCES[2]}

Nobody has an entry for this \citep{{nokey}}. $1 + 1 = 2$.
\bibliography{{refs}}
\end{{document}}
"""
# Line ends, comments and spacing of its owner; no newline at the end.
REFS = (
    b"% mine \xc3\xa9\r\n@Article{ranking , title = {Neural ranking models for passage retrieval},\r\n"
    b"  author={Lovelace, Ada and Hopper, Grace}, year= 2019 }\r\n"
    b"@misc{elsewhere, title={A work that no index has}, author={Somebody, Ann}, year={2020}}"
)
PROJECT = {"paper/main.tex": MAIN.encode(), "paper/refs.bib": REFS}


def keep(client, files=PROJECT, session=ONE):
    answer = client.post(f"{session}/manuscript", data=sent(files))
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"]


def sentence_of(page, number):
    return " ".join(Text(re.search(rf'id="s{number}">(.*?)</span> ', page, re.DOTALL)[1]).text.split())


def candidates(page):
    return [html.unescape(one) for one in re.findall(r'class="candidate" data-id="([^"]*)"', page)]


def number_of(page, words):
    return next(int(one) for one in re.findall(r'id="s([0-9]+)"', page) if words in sentence_of(page, one))


def pick(client, address, paper, note="", **fields):
    answer = client.post(f"{address}/pick", data={"paper": paper, "note": note, **fields})
    assert answer.status_code == 303, answer.text
    return answer


def shown_key(client, address, number, paper):
    panel = client.get(f"{address}?sentence={number}&panel=1").text
    return re.search(rf'data-id="{paper}".*?<code class="citing"[^>]*>([^<]*)</code>', panel, re.DOTALL)[1]
