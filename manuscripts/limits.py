"""What the reading of a stranger's file may cost."""

MAX_BYTES = 12 << 20
MEMORY = 1 << 30  # bytes
PROCESSOR_SECONDS = 8
PATIENCE = 15.0  # seconds until the process is killed, whatever it does
MAX_REFERENCES = 2_000
REFUSED = 3  # exit code of the process where the file is to blame
