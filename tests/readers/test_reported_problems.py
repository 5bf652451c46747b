"""What the commands say of records and files that were passed over."""

import logging

from cli.sources import report_problems
from indexer.readers import ReadReport
from indexer.readers.report import Problem


def test_what_is_not_named_is_counted_and_named_on_request(capsys, caplog):
    report = ReadReport()
    for number in range(1, 14):
        report.skip(Problem("refs.bib", f"line {number}", "broken"))
    report_problems(report)
    assert capsys.readouterr().err.splitlines()[-2:] == [
        "  refs.bib: line 10: broken",
        "  and 3 more; `citescout -v`, before the command, names more of them",
    ]
    caplog.set_level(logging.INFO)
    report_problems(report)
    assert capsys.readouterr().err.splitlines()[-1] == "  refs.bib: line 13: broken"
