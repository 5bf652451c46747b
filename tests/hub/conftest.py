from pathlib import Path

import pytest
from played_hub import PlayedHub, playing


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The played hub, and caches of the test's own; huggingface_hub is told as if by its environment variables."""
    with playing() as played:
        point_at(played, tmp_path, monkeypatch)
        yield played


def point_at(played: PlayedHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    constants = "huggingface_hub.constants."
    monkeypatch.setattr(constants + "ENDPOINT", played.url)
    monkeypatch.setattr(
        constants + "HUGGINGFACE_CO_URL_TEMPLATE", played.url + "/{repo_id}/resolve/{revision}/{filename}"
    )
    monkeypatch.setattr(constants + "HF_HUB_CACHE", str(tmp_path / "hf"))
    monkeypatch.setattr(constants + "HF_HUB_OFFLINE", False)
