"""A minter of Noid or EZID, simulated step by step: the reference for the computed order."""

from collections.abc import Iterator

from coolid.identifiers.rules.perl_state import CounterState, initial_state


def simulated_values(state: CounterState) -> Iterator[int]:
    """Yield the values of a minter up to its end, by `srand`, `rand` and a list of active counters."""
    active = [[each.index, each.value, each.top] for each in state.active]
    number = state.drawn
    while active and number < state.stop:
        generator = (25214903917 * ((number << 16) + 0x330E) + 11) & (2**48 - 1)
        position = int(generator / 2**48 * len(active))
        counter = active[position]
        counter[1] += 1
        yield counter[1] + counter[0] * state.per_counter
        if counter[1] >= counter[2]:
            active.pop(position)
        number += 1


def simulated_extensions(masks: list[str]) -> Iterator[tuple[str, int]]:
    """Yield the mask and value of each name, for masks of `d` and `e` that follow each other."""
    for mask in masks:
        total = 10 ** mask.count("d") * 29 ** mask.count("e")
        for value in simulated_values(initial_state(total)):
            yield mask, value % total
