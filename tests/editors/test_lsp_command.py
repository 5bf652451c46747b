"""`citescout lsp` as a process."""

import json
from pathlib import Path

from command_line import refused, run_alone


def test_the_server_ends_without_a_word(demo_index: Path) -> None:
    def message(**fields: object) -> str:
        content = json.dumps({"jsonrpc": "2.0", **fields})
        return f"Content-Length: {len(content)}\r\n\r\n{content}"

    opening = message(id=1, method="initialize", params={"processId": None, "rootUri": None, "capabilities": {}})
    ending = message(id=2, method="shutdown") + message(method="exit")
    done = run_alone("lsp", "--index", demo_index, stdin=opening + ending)
    assert (done.code, done.err, done.out.count("Content-Length")) == (0, "", 2)


def test_no_index_is_one_line(tmp_path: Path) -> None:
    assert "is not an index" in refused("lsp", "--index", str(tmp_path))
