/* The mint with Idempotency-Keys: WRITERS requests at once, their functions killed between any two steps, the store
 * answering, not answering, doing what it was told unheard, or doing it later still. Checked by spin; docs/explanation/evidence/models.md
 * says what that shows. The lines that begin with "code:" name the product's code that a step stands for, and quote
 * from it: tests/models/test_models.py fails when it is no longer there.
 *
 * Each BROKEN_… takes one guard out of the product, and the check must then fail.
 *   WRITERS   how many requests there are
 *   FAULTS    at most so many; without it there is no end to them
 *   DAY       a receipt's day may go by once
 *   CHANGES   records may be changed, once each
 *   KEYED     all have an Idempotency-Key, and only the identifier 0 is chosen
 */
#ifndef WRITERS
#define WRITERS 2
#endif

#define IDS 2			/* identifiers that can be drawn or chosen */
#define DRAWS 2			/* stands for MOST_DRAWS. code: coolid.records.minter "MAX_DRAWS: Final = 1000" */
#define NONE 255

/* Bodies of requests, which stand for their digests; what is chosen is part of the body. */
#define DRAWN 0
#define CHOSEN 1		/* and CHOSEN + 1: the identifier 0, the identifier 1 */

#ifdef FAULTS
byte faults = FAULTS;
#define MAY_FAIL (faults > 0)
#define FAIL if :: faults > 0 -> faults-- :: else fi
#else
#define MAY_FAIL true
#define FAIL skip
#endif

/* The store. A row's writer is 1 for the first, 0 where there is no row. */
typedef Record {
	byte writer;		/* who wrote version 1 */
	byte version;		/* of the current row */
	bool archived		/* version 1 is kept under its number */
};
Record record[IDS];

typedef Receipt {
	byte outcome;		/* the identifier, or NONE without a receipt */
	byte body;
	byte expires
};
Receipt receipt[3];		/* by errand; 0 is none */
byte today = 0;

/* What is sent and may still come to be done when nobody waits for it any more. */
typedef Sent {
	byte id;		/* NONE: nothing is under way */
	byte day
};
Sent sent[WRITERS];

/* The requests. */
byte errand[WRITERS];		/* 0 without an Idempotency-Key */
byte body[WRITERS];
byte ended;

/* What the properties speak of. */
byte written[IDS];		/* how many records were written under an identifier */
byte made[3];			/* how many an errand made */
byte answered[3] = NONE;	/* what an errand was answered with */

inline forget(w) { sent[w].id = NONE; sent[w].day = 0 }

/* ---- The store's transaction: record and receipt, each on its condition, both or neither. ----
 * code: coolid.aws.dynamodb.records.DynamoRecords.create_record "does_not_exist()"
 * code: coolid.aws.dynamodb.idempotency_records.save_idempotency_record "row.id.does_not_exist() | (row.expires <= round(now.timestamp()))"
 */
#define APPLIED 0
#define RECEIPT_STANDS 1
#define RECORD_STANDS 2
#define LOST 3

#ifdef BROKEN_RECEIPT
#define RECEIPT_FREE(w, now) true
#else
#define RECEIPT_FREE(w, now) (errand[w] == 0 || receipt[errand[w]].outcome == NONE || receipt[errand[w]].expires <= now)
#endif
#ifdef BROKEN_RECORD
#define RECORD_FREE(id) true
#else
#define RECORD_FREE(id) (record[id].writer == 0)
#endif

inline save_record(w, key) {
	record[key].writer = w + 1;
	record[key].version = 1;
	record[key].archived = false;
	written[key]++;
	made[errand[w]] = (errand[w] -> made[errand[w]] + 1 : 0);
	/* No identifier has two records. One errand makes one record at most, a day. */
	assert(written[key] <= 1);
	assert(made[errand[w]] <= 1 + today)
}

inline save_receipt(w, key, now) {
	if
	:: errand[w] ->
		receipt[errand[w]].outcome = key;
		receipt[errand[w]].body = body[w];
		receipt[errand[w]].expires = now + 1
	:: else
	fi
}

inline apply(w, key, now, result) {
	if
	:: !RECEIPT_FREE(w, now) -> result = RECEIPT_STANDS
	:: RECEIPT_FREE(w, now) && !RECORD_FREE(key) -> result = RECORD_STANDS
	:: else ->
		save_record(w, key);
#ifndef BROKEN_TOGETHER
		save_receipt(w, key, now);
#endif
		result = APPLIED
	fi
}

/* ---- A request, and the functions that are asked to carry it out: after a failure, another one. ----
 * Each step is one question to the store with what follows from its answer. A function may be killed before each.
 */
#define KILLED MAY_FAIL -> FAIL; goto start

proctype Writer(byte w) {
	byte id = NONE, outcome = NONE, day = 0, result = APPLIED, draws = 0, tried = 0;
	bool again = false;	/* it is asked a second time what the errand made */

start:	/* A function begins; it knows nothing of the one before. What that one sent may still be under way. */
	atomic {
		id = NONE; outcome = NONE; day = 0; result = APPLIED; draws = 0; tried = 0; again = false;
		if
		:: errand[w] == 0 -> goto draw
		:: errand[w] != 0
		fi
	};

look:	/* What did the errand make? code: coolid.records.idempotency.earlier_outcome "records.idempotency_record(request.id)" */
	atomic {
		if	/* code: coolid.records.idempotency.earlier_outcome "earlier.expires <= now" */
		:: receipt[errand[w]].outcome == NONE || receipt[errand[w]].expires <= today -> goto nothing
		:: receipt[errand[w]].outcome != NONE && receipt[errand[w]].expires > today ->
#ifndef BROKEN_DIGEST
			/* code: coolid.model.idempotency_record.IdempotencyRecord.require_same_body "self.digest != digest" */
			if
			:: receipt[errand[w]].body != body[w] -> goto over	/* 422 key-reused */
			:: receipt[errand[w]].body == body[w]
			fi;
#endif
			outcome = receipt[errand[w]].outcome
		:: KILLED
		fi
	};

read:	/* The current record. code: coolid.records.minter.Minter.minted_before "self._records.record(repository_id, key, consistent=True)" */
	atomic {
		if
		:: record[outcome].writer == 0 -> goto nothing
#ifdef BROKEN_FIRST
		:: record[outcome].writer != 0 -> result = record[outcome].version; goto answer
#else
		:: record[outcome].version == 1 -> result = 1; goto answer
		:: record[outcome].version == 2
#endif
		:: KILLED
		fi
	};

first:	/* Version 1, under its number. code: coolid.records.minter.Minter.minted_before "self._records.superseded(repository_id, key, 1)" */
	atomic {
		if
		:: assert(record[outcome].archived); result = 1; goto answer
		:: KILLED
		fi
	};

nothing:	/* The errand has made nothing, as far as can be seen. */
	atomic {
		outcome = NONE;
		if
		:: !again
		:: again && result == RECORD_STANDS -> again = false; goto refused
		:: again && result != RECORD_STANDS -> goto start	/* 409 request-under-way: the client comes again */
		fi
	};

draw:	/* code: coolid.records.minter.Minter.mint "self._next_key(" */
	atomic {
		if
		:: body[w] != DRAWN -> id = body[w] - CHOSEN; goto sign
		:: body[w] == DRAWN && draws == DRAWS -> goto over	/* 503 draws-exhausted */
		:: body[w] == DRAWN && draws < DRAWS -> id = 0
		:: body[w] == DRAWN && draws < DRAWS -> id = 1
		fi;
		if	/* code: coolid.records.minter.Minter._may_be_free "return not tried or not (" */
		:: tried == 0 -> goto sign
		:: tried & (1 << id) -> draws++; goto draw
		:: tried && !(tried & (1 << id))
		fi
	};

peek:	/* code: coolid.records.minter.Minter._may_be_free "self._records.record(namespace.repository.id, key, consistent=True)" */
	atomic {
		if
		:: record[id].writer == 0
		:: record[id].writer != 0 -> tried = tried | (1 << id); draws++; goto draw
		:: KILLED
		fi
	};

sign:	/* The moment is taken, and all is signed. code: coolid.records.minter.Minter._write "self._prover.prove(self._unsigned(request, namespace, key))" */
	atomic {
		if
		:: day = today
		:: KILLED
		fi
	};

put:	/* code: coolid.records.minter.Minter._write "self._records.create_record(record, idempotency_record)" */
	atomic {
		sent[w].id == NONE ->
		if
		:: apply(w, id, day, result)
		:: MAY_FAIL -> FAIL; apply(w, id, day, result); result = LOST
		:: MAY_FAIL -> FAIL; sent[w].id = id; sent[w].day = day; result = LOST
		:: MAY_FAIL -> FAIL; result = LOST
		/* Others are at the same rows, whatever becomes of them.
		 * code: coolid.aws.dynamodb.idempotency_records.creation_failure "if is_refused(idempotency_record):" */
		:: MAY_FAIL && errand[w] -> FAIL; result = RECEIPT_STANDS
#ifdef BROKEN_BUSY
		:: MAY_FAIL -> FAIL; result = RECORD_STANDS
#else
		/* code: coolid.aws.dynamodb.idempotency_records.creation_failure "if row == CONDITION_FAILED" */
		:: MAY_FAIL -> FAIL; goto start
#endif
		fi;
		if
		:: result == APPLIED -> outcome = id
		/* The store's client sends the same again, or gives up: then its caller comes again. */
		:: result == LOST -> goto put
		:: result == LOST -> goto start
		:: result == RECORD_STANDS && errand[w] == 0 -> goto refused
		:: (result == RECORD_STANDS || result == RECEIPT_STANDS) && errand[w] != 0 ->
			/* code: coolid.records.minter.Minter._write "except (IdempotencyRecordTaken, IdentifierTaken):" */
#ifdef BROKEN_AGAIN
			goto refused
#else
			again = true; goto look
#endif
		fi
	};
#ifdef BROKEN_TOGETHER
	atomic {
		if
		:: save_receipt(w, id, day)
		:: KILLED
		fi
	};
#endif
	result = 1;
	goto answer;

refused:
	atomic {
		result = APPLIED;
		if	/* code: coolid.records.minter.Minter.mint "with suppress(IdentifierTaken):" */
		:: body[w] == DRAWN -> tried = tried | (1 << id); draws++; goto draw
		:: body[w] != DRAWN
		fi;
		/* 409 identifier-taken. That is true, and it is never what the errand itself made. */
		assert(record[id].writer != 0);
		assert(errand[w] == 0 || receipt[errand[w]].outcome != id || receipt[errand[w]].body != body[w] || today);
		goto over
	};

answer:	/* 201, which the client hears or does not. It names a record that stands, as that was at first, and that was
	 * made for this request or its like. One that is sent again gets the same answer. */
	atomic {
		if
		:: KILLED
		:: assert(record[outcome].writer != 0 && result == 1);
			assert(body[record[outcome].writer - 1] == body[w]);
			assert(errand[record[outcome].writer - 1] == errand[w]);
			assert(errand[w] != 0 || record[outcome].writer == w + 1);
			assert(errand[w] == 0 || answered[errand[w]] == NONE || answered[errand[w]] == outcome || today);
			answered[errand[w]] = (errand[w] -> outcome : NONE)
		fi
	};

over:	/* What it knew does not matter any more. */
	atomic { id = NONE; outcome = NONE; day = 0; result = APPLIED; draws = 0; tried = 0; again = false; ended++ }
}

/* What was sent and given up is done after all, or never. */
active proctype Network() {
	byte result;
end:	do
	:: atomic { sent[0].id != NONE -> apply(0, sent[0].id, sent[0].day, result); forget(0); result = APPLIED }
	:: atomic { sent[0].id != NONE -> forget(0) }
#if WRITERS > 1
	:: atomic { sent[1].id != NONE -> apply(1, sent[1].id, sent[1].day, result); forget(1); result = APPLIED }
	:: atomic { sent[1].id != NONE -> forget(1) }
#endif
#if WRITERS > 2
	:: atomic { sent[2].id != NONE -> apply(2, sent[2].id, sent[2].day, result); forget(2); result = APPLIED }
	:: atomic { sent[2].id != NONE -> forget(2) }
#endif
	od
}

#ifdef CHANGES
/* Somebody changes what was minted: version 2, and version 1 under its number, both or neither.
 * code: coolid.aws.dynamodb.records.DynamoRecords.replace_record "transaction.save(each, condition=row.pid.does_not_exist())" */
active proctype Changer() {
	byte each;
end:	do
	:: record[0].version == 1 -> each = 0; goto change
	:: record[1].version == 1 -> each = 1; goto change
	od;
change:
#ifdef BROKEN_ARCHIVE
	record[each].version = 2;
	record[each].archived = true;
#else
	atomic { record[each].version = 2; record[each].archived = true; each = 0 };
#endif
	goto end
}
#endif

#ifdef DAY
/* A day goes by: receipts lose their force, as seen by any function from then on. */
active proctype Midnight() { today = 1 }
#endif

init {
	byte each;
	atomic {
		for (each : 1 .. 2) { receipt[each].outcome = NONE };
		for (each : 0 .. WRITERS - 1) {
			sent[each].id = NONE;
			if	/* which is the first errand and which the second does not matter */
			:: errand[each] = 1
			:: each > 0 -> errand[each] = 2
#ifndef KEYED
			:: errand[each] = 0
#endif
			fi;
			if
			:: body[each] = DRAWN
			:: body[each] = CHOSEN
#ifndef KEYED
			:: body[each] = CHOSEN + 1
#endif
			fi
		};
		run Writer(0);
#if WRITERS > 1
		run Writer(1);
#endif
#if WRITERS > 2
		run Writer(2)
#endif
	}
}

/* With an end to the faults, every request comes to an end. */
ltl ends { <> (ended == WRITERS) }
