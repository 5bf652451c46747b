"""The sources by name, opened at their APIs with the pace that each of them asks for."""

from collections.abc import Mapping
from dataclasses import dataclass

from fetch import openalex as openalex_api
from fetch.client import Access
from fetch.corpus.answers import Answers, CachedClient
from fetch.corpus.interface import Source
from fetch.corpus.sources import arxiv, crossref, semantic_scholar
from fetch.corpus.sources.crossref import Crossref
from fetch.corpus.sources.openalex import OpenAlex
from fetch.corpus.sources.semantic_scholar import SemanticScholar


@dataclass(frozen=True, slots=True)
class Api:
    """One API: where it is, and how fast it may be asked."""

    base_url: str
    key_variable: str = ""  # environment variable with its key
    key_header: str = "Authorization: Bearer {}"
    requests_per_second: float = 5.0
    with_key: float = 0.0  # the same with a key, or for Crossref with an e-mail address; 0 for no other


# OpenAlex allows 100 a second; Semantic Scholar 100 in five minutes, or 1 a second with a key; Crossref 1 list a
# second, or 3 from those who say how to reach them; OpenCitations 180 a minute; arXiv 1 in three seconds.
APIS = {
    "openalex": Api(openalex_api.BASE_URL, "OPENALEX_API_KEY"),
    "semantic-scholar": Api(
        semantic_scholar.BASE_URL, "SEMANTIC_SCHOLAR_API_KEY", semantic_scholar.KEY_HEADER, 1 / 3, 1.0
    ),
    "crossref": Api(crossref.BASE_URL, "", "", 1.0, 3.0),
    "opencitations": Api(crossref.OPENCITATIONS_URL, "OPENCITATIONS_TOKEN", crossref.OPENCITATIONS_KEY_HEADER, 3.0),
    "arxiv": Api(arxiv.BASE_URL, "", "", arxiv.REQUESTS_PER_SECOND),
}


@dataclass(frozen=True, slots=True)
class ApiOptions:
    """How the APIs are asked, beyond what each of them wants."""

    keys: Mapping[str, str]  # by the API's name
    email: str = ""
    base_urls: Mapping[str, str] | None = None  # by the API's name, where one is not at its usual address
    requests_per_second: float = 0.0  # instead of the APIs' own pace; 0 for that
    tries: int = 8
    timeout: float = 30.0  # seconds
    backoff: float = 1.0  # seconds

    def client(self, name: str, answers: Answers) -> CachedClient:
        """The client of the API of that name."""
        api, key = APIS[name], self.keys.get(name, "")
        known = key or (name == "crossref" and self.email)
        pace = self.requests_per_second or (api.with_key if known and api.with_key else api.requests_per_second)
        access = Access(
            (self.base_urls or {}).get(name, api.base_url),
            api_key=key,
            key_header=api.key_header,
            key_source=api.key_variable,
            email=self.email,
            requests_per_second=pace,
            tries=self.tries,
            timeout=self.timeout,
            backoff=self.backoff,
        )
        return CachedClient(access, answers, name)

    def source(self, name: str, answers: Answers) -> Source:
        """The source of that name."""
        if name == "crossref":
            return Crossref(self.client(name, answers), self.client("opencitations", answers))
        client = self.client(name, answers)
        return SemanticScholar(client) if name == "semantic-scholar" else OpenAlex(client)
