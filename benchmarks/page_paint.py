"""How long the page takes from the arrival of a list to its first paint, and how far things shift meanwhile.

    python benchmarks/page_paint.py
    python benchmarks/page_paint.py --index my-index --k 100

Headless Chromium asks a server on this machine. Arrival is when the script has the last byte of the list; the paint is
that of the list's heading, by Element Timing, in the frame that has the list. Shifts are those that the Layout
Instability API counts from the question until two seconds after the list: what moves within half a second of the click
is not among them.
"""

import argparse
import statistics
from pathlib import Path

from headless import ask, browser, served, wait

from demo import CORPUS
from indexer.readers import read_papers

# The heading is marked before it is painted: observers of changes run between the script and the frame.
WATCH = """
const read = ReadableStreamDefaultReader.prototype.read;
ReadableStreamDefaultReader.prototype.read = async function () {
  const chunk = await read.call(this);
  if (typeof chunk.value === "string" && !document.querySelector(".result")) window.arrived = performance.now();
  return chunk;
};
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts.push(entry.value);
}).observe({ type: "layout-shift", buffered: true });
new PerformanceObserver((list) => {
  window.painted = list.getEntries()[0].startTime - window.arrived;
}).observe({ type: "element", buffered: true });
addEventListener("DOMContentLoaded", () => {
  new MutationObserver(() => {
    document.querySelector(".results-head h2")?.setAttribute("elementtiming", "list");
  }).observe(document.body, { childList: true, subtree: true });
});
"""


def main() -> None:
    """Print the median and the longest time, and the largest shift."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", type=Path, help="An index directory; without one, the demo's is built.")
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--k", type=int, default=20, choices=[10, 20, 50, 100], help="Papers in a list.")
    arguments = parser.parse_args()
    texts = [f"{paper.title}\n\n{paper.abstract}" for paper in read_papers([str(CORPUS)], strict=True)]
    texts = texts[:: max(len(texts) // arguments.questions, 1)][: arguments.questions]
    with served(arguments.index) as address, browser(1360, 900) as started:
        started.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
        times, shifts = [], []
        for text in texts:
            started.get(address)
            started.execute_script("document.getElementById('k').value = arguments[0]", str(arguments.k))
            wait(started, "html.scripted")
            started.execute_script("window.shifts = []")
            ask(started, text)
            started.execute_async_script("setTimeout(arguments[0], 2000)")
            times.append(started.execute_script("return window.painted"))
            shifts.append(sum(started.execute_script("return window.shifts")))
    print(f"{len(times)} lists of {arguments.k}: painted after {statistics.median(times):.0f} ms (median)", end=", ")
    print(f"{max(times):.0f} ms (longest); largest sum of shifts {max(shifts):.4f}")


if __name__ == "__main__":
    main()
