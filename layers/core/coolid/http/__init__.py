"""From a request to a response: knows HTTP, not AWS."""
