"""Anonymous requests that exceed the cost limit of a request.

`Caller.send` checks that an anonymous request reads at most the allowed number of keys. The results are checked here:
those within the limit are right, and those over the limit are marked and never reported as absent.
"""

import json
from collections.abc import Callable
from typing import Any, Final

from tests.drill.oracle import TrackedRecord
from tests.drill.reading_caller import ReadingCaller
from tests.support.fixtures.system import Answer

RESOLVE: Final = "/api/v1/resolve"
PARSE: Final = "/api/v1/parse"
_MIN: Final = 60
_MAX: Final = 400
_STATUSES: Final = (200, 302, 400, 404, 410, 414)


class OverloadingCaller(ReadingCaller):
    """A caller whose requests cost too much."""

    def overload(self) -> None:
        """Resolve or explain many identifiers or texts."""
        tracked_records: dict[str, TrackedRecord] = {}
        shapes = (
            self._existing(tracked_records),
            self._misspelt,
            self._long,
            self._under_many_prefixes,
            self._ark,
            self._url,
        )
        weights = [self.rng.random() for _ in shapes]
        texts = [shape() for shape in self.rng.choices(shapes, weights, k=self.rng.randrange(_MIN, _MAX))]
        begun = self.now
        if self.chance(0.4):
            self._parse(texts)
            return
        answer = self.send("POST", RESOLVE, {"ids": texts}, known=False)
        if answer is None or self._is_unavailable(answer):
            return
        for text, result in zip(texts, answer.json()["results"], strict=True):
            if result["status"] == 503:
                self._require_untried_problem(result["problem"])
            elif text in tracked_records:
                headers = {"location": result.get("location", "")}
                alone = Answer(result["status"], headers, json.dumps(result.get("document")))
                self.oracle.read(tracked_records[text], alone, begun, self.now)
            else:
                self.oracle.require(result["status"] in _STATUSES, f"{text} is answered {result}")

    def read_misspelt(self) -> None:
        """Request or explain one misspelt identifier, which gets suggestions."""
        text = self._misspelt()
        if self.chance(0.5):
            answer = self.send("GET", PARSE, query=f"id={text}", known=False)
        else:
            answer = self.send("GET", f"/{text}", known=False)
        if answer is None:
            return
        if answer.status == 503:
            self.oracle.require_complete_503(answer)
        else:
            self.oracle.require(answer.status in _STATUSES, f"{text} is answered {answer.status}")

    def _parse(self, texts: list[str]) -> None:
        answer = self.send("POST", PARSE, {"ids": texts}, known=False)
        if answer is None or self._is_unavailable(answer):
            return
        results = answer.json()["results"]
        self.oracle.require([each["text"] for each in results] == texts, "other texts are answered than were sent")
        for result in results:
            if "problem" in result:
                self._require_untried_problem(result["problem"])

    def _require_untried_problem(self, problem: dict[str, Any]) -> None:
        slug = problem["type"].rpartition("/")[2]
        right = problem["status"] == 503 and slug in ("line-not-tried", "store-unavailable")
        self.oracle.require(right, f"what was not tried says {problem}")

    def _existing(self, tracked_records: dict[str, TrackedRecord]) -> Callable[[], str]:
        def draw() -> str:
            tracked = self.tracked()
            if tracked is None:
                return self._misspelt()
            tracked_records[tracked.name] = tracked
            return tracked.name

        return draw

    def _misspelt(self) -> str:
        """Return a valid identifier that probably does not exist, or one that is nearly valid."""
        repository = self.rng.choice(self.context.repositories)
        described = repository.rules.describe()
        symbols = self.rng.choices(described.alphabet, k=described.length[0] + self.rng.choice((0, 0, 0, 1)))
        return f"{repository.names[0]}:{''.join(symbols)}"

    def _long(self) -> str:
        repository = self.rng.choice(self.context.repositories)
        return f"{repository.names[0]}:{''.join(self.rng.choices(repository.rules.describe().alphabet, k=60))}"

    def _under_many_prefixes(self) -> str:
        return "/".join(f"p{self.rng.randrange(10**6)}" for _ in range(12))

    def _ark(self) -> str:
        return "ark:" + ":".join(str(self.rng.randrange(10**6)) for _ in range(12))

    def _url(self) -> str:
        return f"https://provider.example.org/{self.rng.randrange(1000)}/{self.rng.randrange(10**4):04}"
