"""The meaning of each kind of problem and the advice for people, by the last part of its type URI.

Programs use the problem document itself.

>>> ADVICE["unknown-prefix"].action
'Compare the beginning of the identifier with where you have it from, or look among the prefixes that are known here.'
"""

from typing import Final

from msgspec import Struct


class Advice(Struct, frozen=True):
    """Sentences about what happened, and what to do now."""

    meaning: str
    action: str


_COMPARE: Final = "Compare it with where you have it from, character by character, and try again."
_LATER: Final = "Wait a little and try again. If it goes on, tell whoever runs this service."
_PROGRAM: Final = "If a program of others sent it, tell its makers; if it is yours, read under API how to ask."
_CHANGED: Final = "Read it again, and make the change from what is there now."
_FORM: Final = "Choose one of the forms that there are, or read what is known of the identifier on its page."

ADVICE: Final[dict[str, Advice]] = {
    "identifier-too-long": Advice(
        "What was asked for is longer than any identifier is here.",
        "See whether more than the identifier got into the address, such as a whole paragraph that was pasted.",
    ),
    "bad-reference": Advice(
        "The address has something in it that stands for no character, or for one that no identifier has.",
        "It was probably damaged when it was copied. Copy the identifier again, without what stands around it.",
    ),
    "invalid-character": Advice(
        "It was mistyped, or damaged when it was copied or printed.",
        _COMPARE,
    ),
    "invalid-length": Advice(
        "Identifiers of this kind all have the same length. Some characters were left out, or came in besides.",
        _COMPARE,
    ),
    "invalid-check": Advice(
        "The check characters do not fit: one character is likely mistyped, or two are swapped.",
        _COMPARE,
    ),
    "invalid-pattern": Advice(
        "Identifiers with this prefix are all made after one pattern, which this one does not follow.",
        _COMPARE,
    ),
    "invalid-identifier": Advice("It breaks a rule that all identifiers of its kind keep.", _COMPARE),
    "unknown-prefix": Advice(
        "The beginning of an identifier, its prefix, tells where it belongs. Nobody has registered this one here.",
        "Compare the beginning of the identifier with where you have it from, or look among the prefixes that are "
        "known here.",
    ),
    "unknown-provider": Advice(
        "Some things can be had from several places, called providers. None of those of this prefix is called so.",
        "Choose one of the providers that there are, or leave the choice to us.",
    ),
    "no-provider": Advice(
        "The prefix is known, but nobody is known who shows what its identifiers name.",
        "Read what is known of the prefix; its own web site may have a search.",
    ),
    "unregistered-identifier": Advice(
        "It looks as it should, but nobody has registered it.",
        "It may have been mistyped, or not been registered yet. Compare it with where you have it from, or ask who "
        "gave it to you.",
    ),
    "no-location": Advice(
        "The identifier is registered, but there is no place at the moment where what it names can be had.",
        "Read what is known of it; it tells who is responsible, and often where else to look.",
    ),
    "unknown-version": Advice(
        "The identifier is registered, but what was asked for is not one of the versions that can be read.",
        "Read the latest version, or choose from the list of all of them.",
    ),
    "unknown-client": Advice(
        "No client of this service has that id; it may have been deleted.",
        "Compare the id with the one that was told when the client was made.",
    ),
    "unknown-repository": Advice(
        "No repository of this service has that id.",
        "Compare the id with the one that was told when the repository was made.",
    ),
    "invalid-input": Advice(
        "What was sent has members that are missing, unknown, or not as they must be. Nothing was changed.",
        "Correct each of the places that are named, and send it again.",
    ),
    "bad-idempotency-key": Advice(
        "The header that marks a repeated request cannot be read. Nothing was changed.", _PROGRAM
    ),
    "idempotency-key-reused": Advice(
        "The header that marks a repeated request was sent before, with something else. Nothing was changed.",
        "Send another Idempotency-Key with each new request.",
    ),
    "quota-exceeded": Advice(
        "As many identifiers were minted with this API key as it may mint for now.",
        "Wait until the time that is told, or ask whoever runs this service for more.",
    ),
    "identifier-taken": Advice(
        "The identifier that was chosen is in use. None is ever given twice, not even after it was withdrawn.",
        "Choose another, or leave the choice to us.",
    ),
    "request-under-way": Advice(
        "The same request came in twice, and the first is still being carried out.",
        "Send it once more in a moment, to learn what came of it.",
    ),
    "prefix-taken": Advice(
        "The prefix is in use for something else, and what a prefix means does not change.",
        "Choose another prefix, or read what this one means.",
    ),
    "exhausted": Advice(
        "All identifiers that the repository can have were given.",
        "Give the repository rules that allow for more, or make another one.",
    ),
    "outdated": Advice("Somebody else changed it in the meantime. Nothing was written.", _CHANGED),
    "already-withdrawn": Advice(
        "The identifier was withdrawn. What stands in its place is kept as it is.",
        "Mint another identifier if there is something new to name.",
    ),
    "home-elsewhere": Advice(
        "It can be read here, but is changed in another region of this service alone.",
        "Send the change to the region that is named.",
    ),
    "contended": Advice("Others changed the same thing at the same moment. Nothing was written.", _CHANGED),
    "unauthenticated": Advice(
        "This part of the service is for those who have an API key, and none came with the request, or none that is "
        "valid.",
        "Send your API key; if you have none, ask whoever runs this service.",
    ),
    "forbidden": Advice(
        "The API key is valid, but was not given for this.",
        "Use another key, or ask whoever runs this service for a wider one.",
    ),
    "line-not-tried": Advice(
        "So much was asked for at once that this part of it was not begun. Nothing of it was written.",
        "Send this part again.",
    ),
    "home-moving": Advice(
        "It is just moving to this region of the service, and is not written anywhere until it is there.", _LATER
    ),
    "draws-exhausted": Advice(
        "Identifiers were drawn by chance, and each of them was in use. Nothing was written.",
        "Try again. If it goes on, the repository is nearly full: give it rules that allow for more.",
    ),
    "counter-ahead": Advice(
        "More identifiers were asked for at once than there is time to give. Nothing was written.", _LATER
    ),
    "signer-unavailable": Advice(
        "What signs the records does not answer. Nothing was written; reading is not affected.", _LATER
    ),
    "store-unavailable": Advice(
        "We cannot look anything up at the moment. It is our fault, and says nothing of the identifier.", _LATER
    ),
    "no-such-address": Advice(
        "The address may be mistyped or cut off, or what was there may be gone.",
        "Go to the front page, or look up an identifier here.",
    ),
    "method-not-allowed": Advice(
        "There is something at this address, but it cannot be used in the way that the request tried.", _PROGRAM
    ),
    "not-acceptable": Advice(
        "The browser or program says that it can show none of the forms that this can be had in.", _FORM
    ),
    "no-such-form": Advice(
        "The thing is there, but not in the language, version or format that the address asks for.", _FORM
    ),
    "unknown-format": Advice("The address asks for a format that we do not know, or that this is not had in.", _FORM),
    "unknown-style": Advice("The format is known, but has no style of that name.", _FORM),
    "too-long-to-picture": Advice(
        "A QR code holds some two thousand characters, and the identifier’s address has more.",
        "Use the address itself as a link.",
    ),
    "precondition-required": Advice(
        "A change must say which version it was made from, so that nobody’s work is overwritten. Nothing was written.",
        "Read it first, and send the change with its ETag in If-Match.",
    ),
    "bad-cursor": Advice(
        "The address is that of a part of a list, and was changed or cut off.",
        "Read the list from its beginning.",
    ),
    "unsupported-patch": Advice(
        "The change was sent in a format that is not understood here. Nothing was written.",
        "Send it as a JSON Merge Patch (application/merge-patch+json).",
    ),
    "bad-datetime": Advice("The request asks for a time of the past in a way that cannot be read.", _PROGRAM),
    "malformed-body": Advice("What was sent cannot be read. Nothing was changed.", _PROGRAM),
    "malformed-event": Advice("What came in is not a request that can be answered.", _PROGRAM),
    "body-too-large": Advice(
        "More was sent at once than is read. Nothing was changed.",
        "Send it in several smaller parts.",
    ),
    "unhealthy": Advice("We have just tried whether everything works, and not everything does.", _LATER),
    "internal-error": Advice(
        "It is our fault, and says nothing of what you asked for. The error was written down.",
        "Try again in a while. If it goes on, tell whoever runs this service, with the number of the report.",
    ),
}
