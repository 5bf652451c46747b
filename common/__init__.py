"""What every room needs: the error classes, progress bars, files written safely, arrays, the choice of CPU threads."""
