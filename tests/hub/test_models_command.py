"""`citescout models`, and the table of models in the documents."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from played_hub import PlayedHub
from tiny import copied

import rerank
from cli.models import command
from common.errors import ModelError
from encoders.hub import fetched
from encoders.models import models, names, registered
from encoders.pretrained import find_model

DOCUMENT = Path(__file__).parents[2] / "docs" / "encoders.md"


def listed(*options: str) -> str:
    answer = CliRunner().invoke(command, options, catch_exceptions=False)
    assert answer.exit_code == 0
    return answer.stdout


def test_every_model_is_listed_with_what_is_here(hub: PlayedHub, tiny_bert: Path, tmp_path: Path) -> None:
    scincl = find_model("scincl")
    assert {one["name"]: one["is"] for one in json.loads(listed("--format", "json"))}["scincl"] == "at the hub"
    asked = len(hub.asked)
    hub.add("malteos/scincl", copied(tiny_bert, tmp_path / "model"), commit=scincl.revision)
    folder = fetched("malteos/scincl", scincl.revision)
    records = {one["name"]: one for one in json.loads(listed("--format", "json"))}
    assert list(records) == [model.name for model in models()]
    assert (records["scincl"]["is"], records["scincl"]["folder"]) == ("cached", str(folder))
    assert records["scincl"]["download"] is None
    assert records["specter"]["download"] == f"allenai/specter@{find_model('specter').revision}"
    assert records["minilm"]["is"] == records["default"]["is"] == "installed"
    assert records["specter"]["sha256"].keys() == {"pytorch_model.bin"}
    assert [path for path in hub.asked[:asked]] == []  # listing asks nobody
    lines = listed().splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(records)


def test_names_go_by_what_they_are_for() -> None:
    assert names("encoder") == ["minilm", "static", "mpnet", "specter", "specter2", "scincl"]
    assert names("reranker") == ["default"] and rerank.DEFAULT.is_dir()
    assert {"scibert", "scibert-basevocab", "biobert", "ncbi-bert", "ncbi-bert-large", "bert", "bert-large",
            "bert-large-wwm", "roberta-large", *names("encoder")} - {"static"} <= set(names("base"))  # fmt: skip
    assert registered("allenai/scibert_scivocab_uncased").revision == registered("scibert").revision
    assert registered("nobody/knows") is None


@pytest.mark.parametrize("name", ["scibert", "specter", "google-bert/bert-base-uncased"])
def test_a_base_is_no_reranker(name: str) -> None:
    with pytest.raises(ModelError, match=f"train reranker --base {name}") as caught:
        rerank.load_reranker(name)
    assert "\n" not in str(caught.value)


def test_a_reranker_is_no_encoder() -> None:
    with pytest.raises(ModelError, match="makes no vectors"):
        find_model("default")


def row(model) -> str:
    uses = {"cls": "`[CLS]`", "mean": "mean"}[model.pooling] + {
        "sep": ", title `[SEP]` abstract",
        "period": ", title. abstract",
    }[model.joint]
    use = f"{uses}, {model.max_tokens}" if "encoder" in model.roles else ""
    source = f"[{model.source}](https://huggingface.co/{model.source})" if "/" in model.source else "pip"
    commit = f" {model.revision[:7]}" if model.revision else ""
    return (
        f"| `{model.name}` | {model.description} | {use} | {source}{commit}, {model.megabytes} MB "
        f"| {'yes' if model.files else 'no'} | {model.licence or 'none named'} |"
    )


def test_the_documents_list_the_models_that_there_are() -> None:
    table = "\n".join(row(model) for model in models() if model.name != "default")
    assert table in DOCUMENT.read_text("utf-8"), f"docs/encoders.md should have\n{table}"
