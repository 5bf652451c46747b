"""What reading an untrusted file may cost."""

MAX_BYTES = 12 << 20  # of one file, an archive that is uploaded among them
MAX_ARCHIVE = 100 << 20  # of an archive on one's own disk, pictures included
MAX_UNPACKED = 64 << 20  # of all files of a manuscript
MAX_FILES = 3_000  # of a manuscript
PATIENCE = 15.0  # seconds until the process is killed, whatever it does; common.bounded has those of the processor
OWN_PATIENCE = 60.0  # the same for a file on one's own disk, where a busy machine may take that long for these
MAX_REFERENCES = 2_000
MAX_BIBTEX = 8 << 20  # bytes of the files of BibTeX that are handed on with a manuscript
MAX_BIBTEX_FILES = 20
