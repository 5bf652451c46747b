"""Files as one zip archive."""

import io
import zipfile
from collections.abc import Mapping


def zipped(files: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """The files of these paths."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return stream.getvalue()
