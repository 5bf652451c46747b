"""The command line: thin wrappers around the library, one file a command."""
