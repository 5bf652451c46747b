"""What every package needs: error classes, progress bars, files written safely, arrays, the choice of CPU threads."""
