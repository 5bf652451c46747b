"""How long a person waits for the whole answer, by how many candidates the default reranker reads.

    python benchmarks/reranking.py --index DIR [--repeat 5]

Medians over papers of the index as queries; `make bench` compares the network itself with sentence-transformers.
"""

import argparse
import statistics
from functools import partial
from pathlib import Path

from measuring import timed

from citescout import Recommender, Settings
from indexer.generations import open_generation
from training.queries import training_queries

DEPTHS = {
    "first stage": Settings(depth=0),
    "100 read": Settings(depth=100),
    "200 read": Settings(depth=200),
    "1,000 read": Settings(depth=1000),
    "budget of 1 s": Settings(depth=500, budget=1.0),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", type=Path, required=True, help="with vectors")
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    with open_generation(arguments.index) as generation:
        queries = [one.query for one in training_queries(generation, arguments.repeat + 1)]
    print("| whole answer | median seconds | read |\n|---|---|---|")
    for name, settings in DEPTHS.items():
        with Recommender.open(arguments.index, "default") as recommender:  # knows no query's vector yet
            recommender.rank(queries[0], settings)
            answers = [timed(partial(recommender.rank, query, settings)) for query in queries[1:]]
            seconds = statistics.median(seconds for _, seconds in answers)
            read = statistics.median(len(ranking.reranked) for ranking, _ in answers)
            print(f"| {name} | {seconds:.2f} | {read:.0f} |", flush=True)


if __name__ == "__main__":
    main()
