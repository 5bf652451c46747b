"""A bibliography of 40 entries: 25 with a DOI, 10 without, 5 that do not exist; and commands that ask played APIs."""

import world

# Every ninth paper of the demo; the first 25 have their DOI, the next 10 are to be found by their titles.
IDS = list(world.BY_ID)[::9][:35]
MADE_UP = {
    "none1": ("Hedgehogs and the retrieval of ancient cooking recipes", "10.5555/nowhere1"),
    "none2": ("A study of nothing in particular at all times", "10.5555/nowhere2"),
    "none3": ("On the invention of bibliographies by tired people", ""),
    "none4": ("Attention is not what anybody ever needed", ""),
    "none5": ("Deep residual learning for image recognition of hedgehogs", ""),
}


def entry(key, title, authors, year, doi=""):
    fields = {"title": title, "author": " and ".join(authors), "year": year, "doi": doi}
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@article{{{key},\n{lines}}}\n"


def of_paper(id_, with_doi=True):
    paper = world.BY_ID[id_]
    return entry(id_, paper["title"], paper["authors"], paper["year"], world.doi(id_) if with_doi else "")


def write_bibliography(path):
    entries = [of_paper(id_, number < 25) for number, id_ in enumerate(IDS)]
    entries += [entry(key, title, ["Ann Nobody"], 2015, doi) for key, (title, doi) in MADE_UP.items()]
    path.write_text("".join(entries), "utf-8")
    return path


def addresses(openalex=None, apis=None):
    """Where each API is played, as options."""
    places = {"openalex": openalex.url} if openalex else {}
    if apis:
        played = {"semantic-scholar": "s2", "crossref": "crossref", "opencitations": "opencitations", "arxiv": "arxiv"}
        places |= {name: f"{apis.url}/{path}" for name, path in played.items()}
    return [part for name, url in places.items() for part in ("--base-url", f"{name}={url}")]


FAST = ["--rate", "1000", "--backoff", "0"]
