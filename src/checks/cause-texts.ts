import { IN_MEMORY } from "../partner/states/lost-state.ts";

/** The sentences of each cause: the cause, then the remedy. A code is fixed; its sentences can change. */
export const causeTexts = {
  "process-ended":
    "The receiver's process ended, or it no longer listens. An unhandled error ended it: catch the errors of each request, and answer 500.",
  "no-answer":
    "An event is never answered in time: the receiver hangs. Answer at once, and do the work afterwards from a queue that survives a restart.",
  "event-refused":
    "An event, or a copy of a handled event, is refused until the platform's attempts are used up. Answer 200 to an event that you have handled already. Store an event that you cannot handle yet, and answer 200.",
  "step-fails":
    "A request, a call or the probe fails here, although it works in the baseline. Your system must accept webhooks that come later or earlier than usual. Check how it handled the last arrivals.",
  "handled-twice":
    "Not idempotent: the same event is handled twice, as a copy or as a retry after a lost answer. Store each handled event with its object under a unique key, in the transaction that does the work. Answer 200 to a copy.",
  "handled-events-forgotten":
    "The memory of handled events is too short, or it ended with the process: a late copy or a retry is handled again. Store each handled event in the transaction that does the work, and keep it for as long as it can be sent again, also by hand.",
  "race-of-copies":
    "A race: two copies of an event or of a request pass the check for duplicates at the same time (check, then insert). Insert under a unique key first, in the transaction that does the work. Call the platform only if the insert succeeded.",
  "lost-update":
    "A lost update: two events are handled at the same time, and the later write overwrites the earlier one. Lock the object or the balance, update only the fields of the event, or add to a sum in one statement of the database.",
  "older-overwrites-newer":
    "The last arrival wins: an older event that comes later overwrites a newer state. Compare updatedAt, or read the object from the API.",
  "events-taken-for-one":
    "Two events of the same time are taken for one: the second event has no effect. Distinguish events by their name, their object and their part, such as refundId, not by their time.",
  "unknown-object-forgotten":
    "An event about an object that is not known yet is forgotten or refused. Its webhook came before an earlier event or before the answer of your call. Store the id before the call, store the object from the event, or keep the event until the object is known.",
  "acknowledged-before-stored":
    "An event or a request is acknowledged before it is stored, and is lost. Store it or its work first, then answer 2xx.",
  "event-lost":
    "An acknowledged event left no trace. Several causes are possible: your system forgets an event about an object that is not known yet, answers before it stores an event, marks an event as handled before its work is committed, or passes an event that comes after newer events. Store each event first, then answer 2xx. Mark it in the transaction that does the work, and keep it until it can be handled.",
  "marked-before-work":
    "The event is marked as handled before its work is committed, so its retry is taken for a copy. Mark it in the transaction that does the work.",
  "state-in-memory": `${IN_MEMORY.cause} ${IN_MEMORY.fix}`,
  "depends-on-order":
    "The result depends on the order or the time of the events. Compare updatedAt, or read the object from the API.",
  "sums-of-floats":
    "Sums of floats: the values differ by less than any amount of money. Keep amounts as whole cents or as decimals. Then the order of the events does not matter.",
  "not-stored-before-call":
    "The id was not stored before the process died, so the same work is done again or stays unknown to your system. Store the order with its key before the call, and repeat the call with that key after a restart.",
  "new-key-for-retry":
    "Repeated under a new idempotency key or a new externalId: if the first try was carried out, the work is done twice. Make the key and the name before the first try, store them with the order, and use them for every repetition.",
  "repeated-without-key":
    "Repeated after a lost answer, and done twice. The platform takes no idempotency key for this call. Before you repeat it, find out from a read or a webhook if the first call was carried out.",
  "batch-sent-again":
    "The whole batch was sent again, though a part of it was done. Store the state of each part. Send only the open parts again, each with its own key.",
  "repeated-refusal":
    "A refused call is sent again at once or without end. Repeat a call after 429 when Retry-After is over, and after 401 once, with a new token. Do not repeat a call after another 4xx: it is an answer.",
  "token-not-renewed":
    "The token was not renewed. On 401 get a new token, once, and send the same call again with the same idempotency key.",
  "gave-up":
    "Gave up after a refusal or a lost call. Keep open work. Repeat the call with the same idempotency key, after Retry-After or with growing pauses, or let your own caller repeat it.",
  "error-taken-for-not-done":
    "An error was taken for not done. After a lost answer, a timeout or a 5xx, the call may have been carried out, and a repetition without a key may be refused because of that. Repeat the call with the same idempotency key, or read the result from the API or from the webhook, before you store that it failed.",
  "trace-of-tries":
    "The work is done, but your state shows that it took more than one try: the id of a lost answer is missing, or another value is left. Take the id and the result from the webhook, or from a repetition with the same idempotency key. If the value only counts tries, leave it out with --ignore.",
  "numbered-by-arrival":
    "Rows are numbered in the order of their events, and only these numbers differ. If nothing depends on them, leave them out with --ignore.",
  "books-differ":
    "Your sums and the ledger book different amounts. Compare what each event books with the ledger: GET /sandbox/books?history=true.",
} as const satisfies Readonly<Record<string, string>>;

/** The codes that reports and tests compare. */
export type CauseCode = keyof typeof causeTexts;
