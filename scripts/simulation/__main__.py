"""Run the simulation: python -m scripts.simulation [--seconds S] [--seed N] [--rate R]"""

import argparse
from collections.abc import Sequence

from scripts.simulation.recommendation import checks
from scripts.simulation.report import report
from scripts.simulation.scenarios import scenarios
from scripts.simulation.simulator import simulate


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m scripts.simulation", description="Simulate 10^9 identifiers at AWS, and print tables."
    )
    parser.add_argument(
        "--seconds", type=float, default=10.0, help="simulated seconds of each run; 10 take two minutes in all"
    )
    parser.add_argument("--seed", type=int, default=1, help="of all random numbers; one seed, one result")
    parser.add_argument("--rate", type=float, default=10_000.0, help="requests a second over all identifiers")
    options = parser.parse_args(arguments)
    if options.seconds <= 0 or options.rate <= 0:
        parser.error("--seconds and --rate must be greater than 0")
    results = [simulate(each) for each in scenarios(options.seconds, options.seed, options.rate)]
    print(report(results, [simulate(each) for each in checks(results[0])]))


if __name__ == "__main__":
    main()
