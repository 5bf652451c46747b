"""Document encoders measured as in the SPECTER paper: the seven SciDocs tasks, and like tasks from any corpus."""
