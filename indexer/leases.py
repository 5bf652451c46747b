"""Leases: a writer deletes only generations that no reader holds.

A reader's lease is a shared lock on the manifest. The lock is flock's: the system gives it up when the process ends,
however it ends. Where there is none (Windows), open files cannot be deleted anyway, and what could not be deleted
waits for the next writer.
"""

import os
import shutil
import sys
from pathlib import Path
from typing import BinaryIO

from common.errors import IndexDirectoryError
from indexer.layout import LAYOUT

if sys.platform != "win32":
    import fcntl


def lease(generation: Path) -> BinaryIO | None:
    """A lease on a generation, or None where it is no longer there: a writer has deleted it or is about to.

    It is the open manifest, held until it is closed or nothing refers to it any more.

    Raises:
        IndexDirectoryError: the manifest cannot be read.
    """
    path = generation / LAYOUT.manifest
    try:
        manifest = path.open("rb")
        _lock(manifest, exclusive=False)
        # A writer may have deleted the file between the opening and the lock.
        if os.path.samestat(os.fstat(manifest.fileno()), path.stat()):
            return manifest
        manifest.close()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise IndexDirectoryError(f"cannot read {path}: {error.strerror}") from None
    return None


def delete_unless_leased(generation: Path) -> None:
    """Delete a generation unless a reader holds it.

    Raises:
        OSError: it cannot be deleted.
    """
    path = generation / LAYOUT.manifest
    try:
        with path.open("rb") as manifest:
            if not _lock(manifest, exclusive=True):
                return
            # Readers that wait for the lock find the manifest gone and look for the next generation.
            path.unlink()
    except FileNotFoundError:
        pass  # never completed, or half deleted by a writer that died: it is not read
    shutil.rmtree(generation, ignore_errors=True)


def _lock(manifest: BinaryIO, exclusive: bool) -> bool:
    """Lock an open manifest: shared, waiting for it; or exclusive, False where a reader holds it."""
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(manifest, fcntl.LOCK_EX | fcntl.LOCK_NB if exclusive else fcntl.LOCK_SH)
    except BlockingIOError:
        return False
    except OSError:
        # A file system without locks: nothing can be known of readers, and an open file outlives its deletion there.
        return True
    return True
