"""Logs of the server: a line of JSON or of text per event, without what people ask.

An unexpected error is logged with its type and where it came from; its message may quote the question and is left out
unless questions may be logged, but for what the system says.
"""

import logging
import os
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import orjson

from common.text import encodable

Form = Literal["text", "json"]
_MOST_FRAMES = 30

_log = logging.getLogger(__name__)


def configure(form: Form, with_questions: bool) -> None:
    """Send all logs to standard error in this form; JSON has a line for every request too."""
    formatter = (JsonFormatter if form == "json" else TextFormatter)(with_questions)
    root = logging.getLogger()
    for handler in root.handlers or [logging.StreamHandler()]:
        handler.setFormatter(formatter)
        root.addHandler(handler)
    if form == "json":
        logging.getLogger("webui").setLevel(logging.INFO)


def announce(text: str) -> None:
    """Say on standard error what the server does; a log of JSON has an event for each line."""
    if any(isinstance(handler.formatter, JsonFormatter) for handler in logging.getLogger().handlers):
        for line in text.splitlines():
            _log.info(line)
    else:
        sys.stderr.write(text)
        sys.stderr.flush()


class _Formatter(logging.Formatter):
    def __init__(self, with_questions: bool) -> None:
        super().__init__()
        self._with_questions = with_questions

    def _said(self, error: BaseException) -> str:
        """Its message; without questions what the system refused, such as of a full disk, or nothing."""
        if self._with_questions:
            return encodable(str(error))
        return os.strerror(error.errno) if isinstance(error, OSError) and error.errno else ""


class TextFormatter(_Formatter):
    """`LEVEL: message` and, for an unexpected error, where it came from; one line each."""

    def format(self, record: logging.LogRecord) -> str:
        """The record on one line."""
        line = f"{record.levelname}: {record.getMessage()}"
        if record.exc_info and record.exc_info[1]:
            error = record.exc_info[1]
            what = f"{type(error).__name__} {self._said(error)}".rstrip()
            line = f"{line}: {what} at {' < '.join(reversed(_places(error)))}"
        return "".join(mark if mark.isprintable() else " " for mark in line)


class JsonFormatter(_Formatter):
    """One JSON object a line: time, level, logger, message, the fields of the event, the error."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as JSON, which no text in it can break out of."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": encodable(record.getMessage()),
            **getattr(record, "fields", {}),
        }
        if self._with_questions and hasattr(record, "question"):
            line["question"] = record.question
        if record.exc_info and record.exc_info[1]:
            error = record.exc_info[1]
            said = {"message": message} if (message := self._said(error)) else {}
            line["error"] = {"type": type(error).__name__, "where": _places(error), **said}
        return orjson.dumps(line, default=str).decode()


def _places(error: BaseException) -> list[str]:
    """Where it came from, the innermost frame last."""
    frames = traceback.extract_tb(error.__traceback__)[-_MOST_FRAMES:]
    return [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
