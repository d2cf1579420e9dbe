"""The benchmark: this project beside its peers and the floors, measured in one run. Run: make bench

`harness` times, `results` says what the figures come to, `report` and `plots` show them; `serving`, `rows` and
`runtime` stand in for DynamoDB and for Lambda; each module of `parts` measures one thing, in a process of its own.
"""
