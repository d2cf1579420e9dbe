"""The soak: an hour's worth of life against `coolid serve`, every answer judged, its memory watched. Run: make soak

`store` is the store, `system` starts it and the server, `watching` reads what the server's process takes, `served` what
of that is in use, `warming` fills what the server remembers; `load` sends the mix, in an environment of its own
(locust's), out of `reading`, `writing` and `refusals`, each request with what may come of it (`expecting`);
`steadiness` judges the memory; `results`, `report` and `plots` show it all.
"""
