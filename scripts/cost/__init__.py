"""The cost of a month at AWS, part by part, for each entry point.

`python -m scripts.cost` prints the tables of `docs/how-to/operator/costs.md`; `--help` lists its options. The sum is
for one region and an account that runs nothing else, without tax.
"""
