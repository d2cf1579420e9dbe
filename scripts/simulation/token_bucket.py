"""A token bucket, as API Gateway, Lambda and DynamoDB limit requests."""


class TokenBucket:
    """`rate` tokens a second, at most `burst` at once; full at the beginning.

    >>> bucket = TokenBucket(1, 2)
    >>> [bucket.take(0.0), bucket.take(0.0), bucket.take(0.0), bucket.take(1.0)]
    [True, True, False, True]
    """

    __slots__ = ("burst", "level", "rate", "updated")

    def __init__(self, rate: float, burst: float) -> None:
        self.rate, self.burst, self.level, self.updated = rate, burst, burst, 0.0

    def take(self, now: float, tokens: float = 1.0) -> bool:
        """Take tokens and return True, or take none and return False."""
        self.level = min(self.burst, self.level + max(0.0, now - self.updated) * self.rate)
        self.updated = max(now, self.updated)
        if self.level < tokens:
            return False
        self.level -= tokens
        return True
