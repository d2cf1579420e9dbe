"""The problem types: one row for each class of errors, from which statuses, type URIs, titles and pages derive.

Statuses and slugs are part of the API and never change. `meaning` and `action` are for people: what happened, and what
to do now. Programs use the problem document (`coolid.http.problems`). An error without a row is a bare 500.

>>> problem_type_of(errors.UnknownPrefix("nope:1")).status
404
"""

from typing import Final

from msgspec import Struct

from coolid import errors
from coolid.http import errors as http_errors


class ProblemType(Struct, frozen=True):
    """A problem type: the HTTP status, the last part of its type URI, its title, and sentences for people."""

    status: int
    slug: str
    title: str
    meaning: str
    action: str


_COMPARE: Final = "Compare it with its source, character by character, and try again."
_LATER: Final = "Wait a little and try again. If the problem persists, tell the operator of this service."
_PROGRAM: Final = "If another program sent the request, tell its authors. If it is yours, read the pages on the API."
_REPEAT: Final = "Read it again and change the current version."
_FORM: Final = "Choose one of the available forms, or read the description of the identifier on its page."

PROBLEM_TYPES: Final[dict[type[Exception], ProblemType]] = {
    errors.TooLong: ProblemType(
        414, "identifier-too-long", "The identifier is too long",
        "The requested text is longer than any identifier here.",
        "Check whether the address contains more than the identifier, such as a whole pasted paragraph."),
    errors.BadReference: ProblemType(
        400, "bad-reference", "This cannot be read as an identifier",
        "The address contains something that is no character, or a character that no identifier has.",
        "It was probably damaged when it was copied. Copy the identifier again, without the text around it."),
    errors.InvalidCharacter: ProblemType(
        400, "invalid-character", "The identifier has a character that it cannot have",
        "It was mistyped, or damaged when it was copied or printed.", _COMPARE),
    errors.InvalidLength: ProblemType(
        400, "invalid-length", "The identifier has the wrong length",
        "Identifiers of this kind all have the same length. This one has too few or too many characters.", _COMPARE),
    errors.InvalidCheck: ProblemType(
        400, "invalid-check", "The identifier has a typing error",
        "The check characters do not fit: probably one character is mistyped, or two are swapped.", _COMPARE),
    errors.InvalidPattern: ProblemType(
        400, "invalid-pattern", "The identifier does not fit its prefix",
        "All identifiers with this prefix follow one pattern. This one does not.", _COMPARE),
    errors.ExtraneousText: ProblemType(
        400, "extraneous-text", "There is other text around the identifier",
        "The address contains a label, white space, quotes or markup, which are no part of an identifier of this kind.",
        "Remove all text before and after the identifier, or choose one of the identifiers found in it."),
    errors.InvalidIdentifier: ProblemType(
        400, "invalid-identifier", "The identifier is not valid",
        "It breaks a rule for all identifiers of its kind.", _COMPARE),
    errors.UnknownPrefix: ProblemType(
        404, "unknown-prefix", "The prefix is not registered here",
        "The beginning of an identifier, its prefix, shows where it belongs. Nobody has registered this one here.",
        "Compare the beginning of the identifier with its source, or search the registered prefixes."),
    errors.UnknownProvider: ProblemType(
        404, "unknown-provider", "The prefix has no such provider",
        "Some things are available from several sites, called providers. None of this prefix has that name.",
        "Choose one of the providers of this prefix, or none, to be sent to the usual one."),
    errors.NoProvider: ProblemType(
        404, "no-provider", "Nobody is known to resolve this prefix",
        "The prefix is registered, but this service has no site that shows what its identifiers name.",
        "Read the description of the prefix. Its own web site may have a search."),
    errors.UnregisteredIdentifier: ProblemType(
        404, "unregistered-identifier", "The identifier is not registered",
        "The identifier is well formed, but nobody has registered it.",
        "It may be mistyped or not registered yet. Compare it with its source, or ask the person who gave it to you."),
    errors.NoLocation: ProblemType(
        404, "no-location", "The identifier leads nowhere at the moment",
        "The identifier is registered, but the thing that it names is not available anywhere at the moment.",
        "Read its description. It names those responsible, and often another place to look."),
    errors.PolicyDenied: ProblemType(
        403, "policy-denied", "The identifier leads to a denied host",
        "The identifier is registered, but the policy of its repository forbids the sites to which it could lead.",
        "Read its description. It names those responsible, and often another place to look."),
    errors.IntegrityFailure: ProblemType(
        500, "integrity-failure", "The record failed verification",
        "The stored record is not what its issuer signed. It may have been damaged or forged, so it is not shown.",
        "Use a copy only if its proof can be verified. Tell the operator of this service."),
    errors.DeniedByPeers: ProblemType(
        403, "denied-by-peers", "Another resolver denies the resolution",
        "This service has no record of the identifier. Another resolver has one, but its policy denies the resolution.",
        "Ask the person who gave you the identifier where else it can be resolved."),
    errors.RefusedClaims: ProblemType(
        500, "refused-claims", "Records of other resolvers failed verification",
        "This service has no record of the identifier. Others returned some that are not proved, so they are not used.",
        "Use a copy only if its proof can be verified. Tell the operator of this service."),
    errors.PeersUnavailable: ProblemType(
        503, "peers-unavailable", "Another resolver cannot answer now",
        "This service has no record of the identifier. Another resolver may have one, but cannot be reached.", _LATER),
    errors.UnknownVersion: ProblemType(
        404, "unknown-version", "The record has no such version",
        "The identifier is registered, but it has no public version with that number.",
        "Read the latest version, or choose one from the list of versions."),
    errors.UnknownClient: ProblemType(
        404, "unknown-client", "There is no such client",
        "No client of this service has that id.",
        "Compare the id with the one in the response that created the client."),
    errors.UnknownRepository: ProblemType(
        404, "unknown-repository", "There is no such repository",
        "No repository of this service has that id.",
        "Compare the id with the one in the response that created the repository."),
    errors.UnknownJob: ProblemType(
        404, "unknown-job", "There is no such job",
        "No job that this API key may see has that id. Jobs and their results are deleted after 30 days.",
        "Compare the id with the one in the response that created the job, or list the jobs."),
    errors.UnknownUpload: ProblemType(
        404, "unknown-upload", "There is no such upload",
        "No upload of this API key has that id. Uploads are deleted after 30 days.",
        "Begin another upload, and send the file to the address in its response."),
    errors.WrongJobState: ProblemType(
        409, "wrong-job-state", "The job is not in the right state for this",
        "This step is not possible now, because the job is still at work or has ended. Nothing was changed.",
        "Read the job to see its state. If it is at work, wait until that is done."),
    errors.InvalidInput: ProblemType(
        422, "invalid-input", "The document breaks its rules",
        "Members of the document are missing, unknown or invalid. Nothing was changed.",
        "Correct each of the listed members, and send the document again."),
    errors.BadIdempotencyKey: ProblemType(
        400, "bad-idempotency-key", "The Idempotency-Key cannot be read",
        "The header that marks a repeated request is malformed. Nothing was changed.", _PROGRAM),
    errors.KeyReused: ProblemType(
        422, "idempotency-key-reused", "The Idempotency-Key stands for another request",
        "The header that marks a repeated request was sent before, with another document. Nothing was changed.",
        "Send another Idempotency-Key with each new request."),
    errors.TooManyChecks: ProblemType(
        429, "too-many-checks", "Too many checks were requested",
        "This API key has requested as many checks as it may for now.",
        "Wait until the stated time. All addresses are also checked regularly without a request."),
    errors.QuotaExceeded: ProblemType(
        429, "quota-exceeded", "The client's quota is used up for now",
        "This API key has minted as many identifiers as it may for now.",
        "Wait until the stated time, or ask the operator of this service for a larger quota."),
    errors.IdentifierTaken: ProblemType(
        409, "identifier-taken", "The identifier exists already",
        "The chosen identifier is in use. No identifier is assigned twice, not even after its withdrawal.",
        "Choose another identifier, or send none to have one generated."),
    errors.IdempotencyRecordTaken: ProblemType(
        409, "request-under-way", "The same request is being carried out",
        "The same request arrived twice, and the first one is still in progress.",
        "Send it again in a moment to receive its result."),
    errors.KeyShownOnce: ProblemType(
        409, "key-shown-once", "The key was shown once",
        "The same request has created a client before. Its key was in that response only, because it is not stored.",
        "Revoke that client if its key is lost, and create another one with another Idempotency-Key."),
    errors.PrefixTaken: ProblemType(
        409, "prefix-taken", "The prefix means something else",
        "The prefix is in use for something else, and the meaning of a prefix never changes.",
        "Choose another prefix, or read the description of this one."),
    errors.Exhausted: ProblemType(
        409, "exhausted", "No identifiers are left",
        "All identifiers that the repository's rules allow are in use.",
        "Create another repository, with rules that allow more identifiers."),
    errors.Outdated: ProblemType(
        412, "outdated", "The record changed in between",
        "Somebody else changed it in the meantime. Nothing was written.", _REPEAT),
    errors.AlreadyWithdrawn: ProblemType(
        409, "already-withdrawn", "The identifier was withdrawn",
        "The identifier was withdrawn. Its tombstone cannot change.",
        "Mint another identifier if there is something new to name."),
    errors.CustodyOffered: ProblemType(
        409, "custody-offered", "The record is offered to another service",
        "The record was offered to another service, and does not change until that accepts it. Nothing was changed.",
        "Revoke the offer if the record must change now, and offer it again afterwards."),
    errors.CustodyElsewhere: ProblemType(
        409, "custody-elsewhere", "Another service is the authority for the record",
        "The custody of the record was transferred. Only the service that has it can change the record.",
        "Send the change to the named service."),
    errors.NoSuchOffer: ProblemType(
        409, "no-such-offer", "There is no such offer",
        "A record changes hands only if its current version offers it to the service that accepts it.",
        "Compare the acceptance with the current version of the record, and ask its operator to offer it."),
    errors.InvalidAnswer: ProblemType(
        502, "invalid-answer", "Another service answered with something invalid",
        "What another service answered fails verification, so this service does not rely on it. Nothing was changed.",
        "Send the detail of this problem to the operator of the other service."),
    errors.HomeElsewhere: ProblemType(
        409, "home-elsewhere", "Another region is its home",
        "It can be read here, but only another region of this service can change it.",
        "Send the change to the named region."),
    errors.Contended: ProblemType(
        409, "contended", "Others changed it at the same time",
        "Other requests changed the same thing at the same moment. Nothing was written.", _REPEAT),
    errors.Unauthenticated: ProblemType(
        401, "unauthenticated", "A valid API key is needed",
        "This part of the service requires an API key. The request has none, or one that is not valid.",
        "Send your API key. If you have none, ask the operator of this service."),
    errors.Forbidden: ProblemType(
        403, "forbidden", "The API key does not reach this far",
        "The API key is valid, but its scopes do not cover this request.",
        "Use another key, or ask the operator of this service for more scopes."),
    errors.LineNotTried: ProblemType(
        503, "line-not-tried", "There was no time or room left for this line",
        "The request was so large that this part of it was not begun. Nothing of this part was written.",
        "Send this part again."),
    errors.HomeMoving: ProblemType(
        503, "home-moving", "Its home is moving to this region",
        "It is moving to this region of the service. No region can change it until it has arrived.", _LATER),
    errors.JobsNotSetUp: ProblemType(
        501, "jobs-not-set-up", "This service has no bulk jobs",
        "Bulk jobs need storage of their own, which the operator of this service has not set up. Nothing was changed.",
        "Mint and change records one by one or in batches, or ask the operator of this service."),
    errors.ReadOnly: ProblemType(
        503, "read-only", "The service accepts no changes at the moment",
        "Its operator has stopped all changes, for example to move it. Nothing was written. Reading is not affected.",
        _LATER),
    errors.DrawsExhausted: ProblemType(
        503, "draws-exhausted", "No free identifier was drawn",
        "Identifiers were drawn at random, and each of them was in use. Nothing was written.",
        "Try again. If the problem persists, the repository is nearly full: create another with longer identifiers."),
    errors.CounterAhead: ProblemType(
        503, "counter-ahead", "Too many identifiers at once",
        "Identifiers were requested faster than this repository can assign them. Nothing was written.", _LATER),
    errors.SignerUnavailable: ProblemType(
        503, "signer-unavailable", "The signing key cannot be used",
        "The key that signs records does not answer. Nothing was written. Reading is not affected.", _LATER),
    errors.OtherServiceUnavailable: ProblemType(
        503, "other-service-unavailable", "Another service does not answer",
        "This step needs the service of another operator, which does not answer now. It can be repeated.", _LATER),
    errors.StoreUnavailable: ProblemType(
        503, "store-unavailable", "The store cannot be reached",
        "The service cannot look anything up at the moment. This is our fault; the identifier may be correct.", _LATER),
    http_errors.NoSuchAddress: ProblemType(
        404, "no-such-address", "There is nothing at this address",
        "The address may be mistyped or incomplete, or its content may be gone.",
        "Go to the home page, or look up an identifier here."),
    http_errors.MethodNotAllowed: ProblemType(
        405, "method-not-allowed", "The method is not possible here",
        "The address exists, but not for the method of the request.", _PROGRAM),
    http_errors.NotAcceptable: ProblemType(
        406, "not-acceptable", "No representation is acceptable",
        "The browser or program accepts none of the available forms.", _FORM),
    http_errors.NoSuchForm: ProblemType(
        406, "no-such-form", "There is no such form of it",
        "The thing exists, but not in the requested language, version or format.", _FORM),
    http_errors.UnknownFormat: ProblemType(
        406, "unknown-format", "There is no such format",
        "The requested format is unknown, or not available for this identifier.", _FORM),
    http_errors.UnknownStyle: ProblemType(
        406, "unknown-style", "The format has no such style",
        "The format exists, but has no style or locale with this name.", _FORM),
    http_errors.TooLongToPicture: ProblemType(
        406, "too-long-to-picture", "The identifier is too long for a QR code",
        "A QR code holds about two thousand characters, and the identifier’s address has more.",
        "Use the address itself as a link."),
    http_errors.PreconditionRequired: ProblemType(
        428, "precondition-required", "The change does not say what it is made from",
        "A change must name the version that it changes, so that it overwrites nobody’s work. Nothing was written.",
        "Read the current version first, and send the change with its ETag in If-Match."),
    http_errors.BadCursor: ProblemType(
        400, "bad-cursor", "The cursor is not one of ours",
        "The address is that of a part of a list, and was changed or cut off.",
        "Read the list from its beginning."),
    http_errors.ChecksOff: ProblemType(
        409, "checks-off", "This service checks no links",
        "The operator of this service has switched off the checks of where its records lead.",
        "Open the address in your browser, or ask the operator to switch the checks on."),
    http_errors.UnsupportedPatch: ProblemType(
        415, "unsupported-patch", "The format of the change is not supported",
        "The change has an unsupported format. Nothing was written.",
        "Send it as a JSON Merge Patch (application/merge-patch+json)."),
    http_errors.BadDatetime: ProblemType(
        400, "bad-datetime", "The Accept-Datetime cannot be read",
        "The request contains a malformed time.", _PROGRAM),
    http_errors.MalformedBody: ProblemType(
        400, "malformed-body", "The body cannot be read",
        "The content of the request is malformed. Nothing was changed.", _PROGRAM),
    http_errors.MalformedEvent: ProblemType(
        400, "malformed-event", "This is not a request",
        "The event that reached the service is not an HTTP request.", _PROGRAM),
    http_errors.BodyTooLarge: ProblemType(
        413, "body-too-large", "The body is too large",
        "The request is larger than the limit. Nothing was changed.",
        "Send it in several smaller parts."),
    http_errors.NoTransparencyLog: ProblemType(
        404, "no-transparency-log", "This service has no transparency log",
        "A transparency log shows that everybody receives the same versions. The operator of this service keeps none.",
        "Check the signature of the record instead, or ask the operator to set up a log."),
    http_errors.NotLoggedYet: ProblemType(
        503, "not-logged-yet", "The version is not in the transparency log yet",
        "Versions are added to the log shortly after they are written. This one has no place in it yet.",
        "Wait a minute and try again. If the problem persists, tell the operator of this service."),
    http_errors.NoForeignMetadata: ProblemType(
        503, "no-foreign-metadata", "There is no metadata at present",
        "This service has no record of the identifier. Its registration agency returned no metadata, or not in time.",
        _LATER),
    http_errors.Unhealthy: ProblemType(
        503, "unhealthy", "Not everything works",
        "The service has just checked its parts, and not all of them work.", _LATER),
}  # fmt: skip
UNKNOWN: Final = ProblemType(
    500,
    "internal-error",
    "Something went wrong here",
    "This is our fault. It says nothing about the requested identifier. The error was logged.",
    "Try again later. If the problem persists, tell the operator of this service the number of the report.",
)


def problem_type_of(error: Exception) -> ProblemType | None:
    """Return the row of the nearest base class in the table, None for an unexpected error."""
    return next((PROBLEM_TYPES[ancestor] for ancestor in type(error).__mro__ if ancestor in PROBLEM_TYPES), None)


def problem_type_named(slug: str) -> ProblemType:
    """Return the problem type whose URI ends with the slug. Raises `NoSuchAddress` if there is none."""
    for problem_type in (*PROBLEM_TYPES.values(), UNKNOWN):
        if problem_type.slug == slug:
            return problem_type
    raise http_errors.NoSuchAddress("there is no problem of that name")
