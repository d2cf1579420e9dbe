"""Overload: anonymous requests for more than one request may cost. Each is answered, at a bounded cost.

`Caller.send` demands of every anonymous request that it reads no more keys than it may. Here the answers are judged:
what was tried is right, and what was not tried says so and is never taken for absent.
"""

import json
from collections.abc import Callable
from typing import Any, Final

from tests.drill.looking import Looker
from tests.drill.oracle import Thing
from tests.support.fixtures.system import Answer

RESOLVE: Final = "/api/v1/resolve"
PARSE: Final = "/api/v1/parse"
_LEAST: Final = 60
_MOST: Final = 400
_STATUSES: Final = (200, 302, 400, 404, 410, 414)


class Overloader(Looker):
    """Sends requests that cost too much."""

    def overload(self) -> None:
        """Many identifiers or texts at once."""
        things: dict[str, Thing] = {}
        shapes = (self._existing(things), self._misspelt, self._long, self._under_many_prefixes, self._ark, self._url)
        weights = [self.dice.random() for _ in shapes]
        texts = [shape() for shape in self.dice.choices(shapes, weights, k=self.dice.randrange(_LEAST, _MOST))]
        begun = self.now
        if self.chance(0.4):
            self._parse(texts)
            return
        answer = self.send("POST", RESOLVE, {"ids": texts}, known=False)
        if answer is None or self._cannot_be_told(answer):
            return
        for text, result in zip(texts, answer.json()["results"], strict=True):
            if result["status"] == 503:
                self._demand_honest_problem(result["problem"])
            elif text in things:
                headers = {"location": result.get("location", "")}
                alone = Answer(result["status"], headers, json.dumps(result.get("document")))
                self.oracle.read(things[text], alone, begun, self.now)
            else:
                self.oracle.demand(result["status"] in _STATUSES, f"{text} is answered {result}")

    def misread(self) -> None:
        """A refusal of one identifier, with its suggestions, or what is said of it."""
        text = self._misspelt()
        if self.chance(0.5):
            answer = self.send("GET", PARSE, query=f"id={text}", known=False)
        else:
            answer = self.send("GET", f"/{text}", known=False)
        if answer is None:
            return
        if answer.status == 503:
            self.oracle.demand_honest(answer)
        else:
            self.oracle.demand(answer.status in _STATUSES, f"{text} is answered {answer.status}")

    def _parse(self, texts: list[str]) -> None:
        answer = self.send("POST", PARSE, {"ids": texts}, known=False)
        if answer is None or self._cannot_be_told(answer):
            return
        results = answer.json()["results"]
        self.oracle.demand([each["text"] for each in results] == texts, "texts are answered that nobody sent")
        for result in results:
            if "problem" in result:
                self._demand_honest_problem(result["problem"])

    def _demand_honest_problem(self, problem: dict[str, Any]) -> None:
        slug = problem["type"].rpartition("/")[2]
        right = problem["status"] == 503 and slug in ("line-not-tried", "store-unavailable")
        self.oracle.demand(right, f"what was not tried says {problem}")

    def _existing(self, things: dict[str, Thing]) -> Callable[[], str]:
        def draw() -> str:
            thing = self.thing()
            if thing is None:
                return self._misspelt()
            things[thing.name] = thing
            return thing.name

        return draw

    def _misspelt(self) -> str:
        """What is well formed and perhaps not there, or nearly well formed."""
        home = self.dice.choice(self.scene.homes)
        described = home.rules.describe()
        symbols = self.dice.choices(described.alphabet, k=described.length[0] + self.dice.choice((0, 0, 0, 1)))
        return f"{home.names[0]}:{''.join(symbols)}"

    def _long(self) -> str:
        home = self.dice.choice(self.scene.homes)
        return f"{home.names[0]}:{''.join(self.dice.choices(home.rules.describe().alphabet, k=60))}"

    def _under_many_prefixes(self) -> str:
        return "/".join(f"p{self.dice.randrange(10**6)}" for _ in range(12))

    def _ark(self) -> str:
        return "ark:" + ":".join(str(self.dice.randrange(10**6)) for _ in range(12))

    def _url(self) -> str:
        return f"https://provider.example.org/{self.dice.randrange(1000)}/{self.dice.randrange(10**4):04}"
