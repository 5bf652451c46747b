"""A real server on a (private) network: two shards, an HNSW index, `kill -9` and a restart.

The newest server that can be had from pip is 2.3.5. It has no full-text function, so Lucene keeps BM25, and vectors go
over the network.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SERVER = os.environ.get("MILVUS_SERVER", "")
NAMESPACE = ["unshare", "--map-root-user", "--net"]

pytestmark = [pytest.mark.cluster, pytest.mark.slow]


def why_not() -> str:
    """Why no server can run here; empty where one can."""
    if not SERVER or not Path(SERVER).is_file():
        return "MILVUS_SERVER does not name the milvus-server of an environment with milvus==2.3.5"
    if not shutil.which("unshare") or not shutil.which("ip"):
        return "there is no unshare or no ip, and the server would listen on every interface"
    tried = subprocess.run([*NAMESPACE, "ip", "link", "set", "lo", "up"], capture_output=True, check=False)  # noqa: S603
    return "" if tried.returncode == 0 else "network namespaces are not allowed here"


def test_vectors_over_a_network(lite: str, tmp_path: Path) -> None:
    if reason := why_not():
        pytest.skip(reason)
    session = [sys.executable, str(Path(__file__).with_name("milvus_server_session.py")), SERVER, str(tmp_path)]
    done = subprocess.run(  # noqa: S603
        [*NAMESPACE, "sh", "-c", 'ip link set lo up && exec "$@"', "sh", *session],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False, timeout=580,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    output = json.loads(done.stdout)
    assert output["recall"] >= 0.98
    assert output["vectors"] < 1e-6
    assert output["same after the restart"]
    assert output["old connection after the restart"]
    assert "no full-text search" in output["texts refused"]
    assert "no 16-bit vectors" in output["16 bits refused"]
    assert output["killed"].startswith("EngineError: lost the connection to Milvus at 127.0.0.1:19530")
    assert output["reopened while it is gone"].startswith("EngineError: ")
    assert "127.0.0.1:19530" in output["reopened while it is gone"]
