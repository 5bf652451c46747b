"""What every room needs: the error classes, progress bars, files written safely, the choice of CPU threads."""
