"""Which addresses of a corpus are fit to be linked to."""

from urllib.parse import quote, urlsplit

from common.text import one_line
from indexer.paper import Paper


def safe_url(url: str) -> str:
    """The address if it is http or https with a host; else "" (javascript:, data:, file:, or no address at all)."""
    address = one_line(url)
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return address if parts.scheme in {"http", "https"} and parts.netloc else ""


def safe_link(paper: Paper) -> str:
    """Where to read the paper, if that is an address one can link to."""
    if url := safe_url(paper.url):
        return url
    if paper.doi:
        return doi_link(paper)
    return safe_url(f"https://arxiv.org/abs/{quote(one_line(paper.arxiv), safe='/')}") if paper.arxiv else ""


def doi_link(paper: Paper) -> str:
    """Where its DOI leads; "" without one."""
    return safe_url(f"https://doi.org/{quote(one_line(paper.doi), safe='/:;()')}") if paper.doi else ""


def pdf_link(paper: Paper) -> str:
    """Where its text is as a PDF, as far as the record says: its own address or arXiv's; "" where it does not."""
    url = safe_url(paper.url)
    if urlsplit(url).path.lower().endswith(".pdf"):
        return url
    return safe_url(f"https://arxiv.org/pdf/{quote(one_line(paper.arxiv), safe='/')}") if paper.arxiv else ""
