"""What every package needs: error classes, progress bars, files written safely, arrays, threads and processes."""
