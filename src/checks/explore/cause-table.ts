import { IN_MEMORY } from "../../partner/states/lost-state.ts";

/**
 * The causes of divergences, each with its code and its sentences: the cause, then the remedy. Several sentences can
 * have one code. A code is fixed; a sentence can change.
 */
export const causeTable = {
  gone: {
    code: "process-ended",
    text: "The receiver's process ended, or it no longer listens. An unhandled error ended it: catch the errors of each request, and answer 500.",
  },
  silent: {
    code: "no-answer",
    text: "An event is never answered in time: the receiver hangs. Answer at once, and do the work afterwards from a queue that survives a restart.",
  },
  copyRefused: {
    code: "copy-refused",
    text: "A copy of an event that was handled is refused, so the platform delivers it again until its attempts are used up. Answer 200 to an event that you have handled already.",
  },
  refused: {
    code: "refused-in-this-order",
    text: "An event that comes in this order is refused until the platform's attempts are used up. Store it until it can be handled, and answer 200.",
  },
  twice: {
    code: "handled-twice",
    text: "Not idempotent: the same event is handled twice. Store each handled event with its object under a unique key, in the transaction that does the work. Answer 200 to a copy.",
  },
  race: {
    code: "race-of-copies",
    text: "A race: two copies pass the check for duplicates at the same time (check, then insert). Insert under a unique key first, in the transaction that does the work.",
  },
  lostAnswer: {
    code: "handled-twice",
    text: "Work is done twice when an answer is lost: the retry is not recognised as the same event. Store each handled event in the transaction that does the work.",
  },
  overwrites: {
    code: "older-overwrites-newer",
    text: "An old event overwrites a newer state. Compare updatedAt, or read the object from the API.",
  },
  forgotten: {
    code: "memory-too-short",
    text: "The memory of handled events is too short: a late copy is handled again. Keep the handled events for as long as they can be sent again, also by hand.",
  },
  floats: {
    code: "sums-of-floats",
    text: "Sums of floats: the values differ by less than any amount of money. Keep amounts as whole cents or as decimals. Then the order of the events does not matter.",
  },
  lastWins: {
    code: "older-overwrites-newer",
    text: "The last arrival wins: an older event that comes later overwrites a newer state. Compare updatedAt, or read the object from the API.",
  },
  unknown: {
    code: "unknown-object-forgotten",
    text: "An event about an object that is not known yet is forgotten. Store the object from the event, keep the event until the object is known, or answer 5xx to get the event again.",
  },
  unknownOrUnstored: {
    code: "early-event-lost",
    text: "An event that came early left no trace, although it was acknowledged. Two causes are possible: your system forgets an event about an object that is not known yet, or it answers before it stores an event. Store each event first, then answer 2xx, and keep it until it can be handled.",
  },
  early: {
    code: "event-before-answer",
    text: "An event that comes before the API's answer is about an unknown object, and is forgotten or refused. Store the id before the call, or keep the event until the object is known.",
  },
  lostUpdate: {
    code: "lost-update",
    text: "A lost update: two events about one object are handled at the same time, and the later write overwrites the earlier one. Lock the object, or update only the fields of the event.",
  },
  lostShare: {
    code: "lost-update",
    text: "A lost update of a value that two events change, such as a balance: both read it at the same time, and the later write overwrites the earlier one. Lock it, or add to it in one statement of the database.",
  },
  unstored: {
    code: "acknowledged-before-stored",
    text: "An event is acknowledged before it is stored, and is lost. Store it first, then answer 2xx.",
  },
  taken: {
    code: "events-taken-for-one",
    text: "Two events of the same time are taken for one: the second event has no effect. Distinguish events by their name, their object and their part, such as refundId, not by their time.",
  },
  order: {
    code: "depends-on-order",
    text: "The result depends on the order or the time of the events. Compare updatedAt, or read the object from the API.",
  },
  step: {
    code: "step-fails",
    text: "A request or a call that works in the baseline fails here. Your system must accept webhooks that come later or earlier than usual.",
  },
  probe: {
    code: "probe-fails",
    text: "The probe no longer answers with JSON. Check how the receiver handled the last arrivals.",
  },
  endless: {
    code: "repeated-without-end",
    text: "A refused call is repeated without end. A 4xx is an answer: do not send the same call again, except after 401 with a new token and after 429 when Retry-After is over.",
  },
  token: {
    code: "token-not-renewed",
    text: "The token was not renewed. On 401 get a new token, once, and send the same call again with the same idempotency key.",
  },
  wholeBatch: {
    code: "batch-sent-again",
    text: "The whole batch was sent again, though a part of it was done. Store the state of each part. Send only the open parts again, each with its own key.",
  },
  newKey: {
    code: "new-key-for-retry",
    text: "Repeated under a new idempotency key, so the work is done twice. Make the key before the first try, store it with the order, and use it for every repetition.",
  },
  newName: {
    code: "new-key-for-retry",
    text: "Repeated under a new externalId: if the first try was carried out, the work is done twice. Make the name and the key before the first try, store them with the order, and use them for every repetition.",
  },
  keyless: {
    code: "repeated-without-key",
    text: "Repeated after a lost answer, and done twice. The platform takes no idempotency key for this call. Before you repeat it, find out from a read or a webhook if the first call was carried out.",
  },
  notStored: {
    code: "not-stored-before-call",
    text: "The id was not stored before the process died, so the same work is done again or stays unknown to your system. Store the order with its key before the call, and repeat the call with that key after a restart.",
  },
  acknowledged: {
    code: "acknowledged-before-stored",
    text: "Acknowledged before it was stored: the process died after its 2xx, and the work is lost. Store the event or its work first, then answer 2xx.",
  },
  marked: {
    code: "marked-before-work",
    text: "The event is marked as handled before its work is committed, so its retry is taken for a copy. Mark it in the transaction that does the work.",
  },
  inMemory: { code: "state-in-memory", text: `${IN_MEMORY.cause} ${IN_MEMORY.fix}` },
  handledAgain: {
    code: "memory-lost",
    text: "The memory of handled events ended with the process, so a retry is handled again. Store each handled event in the transaction that does the work.",
  },
  refusedAgain: {
    code: "refusal-taken-for-failure",
    text: "The platform carried out the first call and refuses the repetition. It takes no idempotency key for this call. After a lost answer, read the result from the API or from the webhook, which names your externalId. Do not treat this refusal as a failure.",
  },
  idLost: {
    code: "id-lost-with-answer",
    text: "The work is done, but its id is missing: only the lost answer had it. Take the id from the webhook, or repeat the call with the same idempotency key.",
  },
  noPause: {
    code: "retried-at-once",
    text: "Sent again before Retry-After was over, so it was refused again. Wait for the time in Retry-After, or with growing pauses, and repeat the call with the same idempotency key.",
  },
  newKeyInState: {
    code: "new-key-for-retry",
    text: "Repeated under a new idempotency key, which your state shows. Here the first try did nothing. If only its answer is lost, the work is done twice. Make the key before the first try, store it, and use it for every repetition.",
  },
  traceOfTries: {
    code: "trace-of-tries",
    text: "The work is done, but your state shows that it took more than one try. Store the result of the last answer. If the value only counts tries, leave it out with --ignore.",
  },
  unknownToEvent: {
    code: "unknown-object-forgotten",
    text: "The answer was lost, and the webhook came before the call was repeated. Your system did not know the object yet and forgot the webhook. Store the object from the webhook, or keep the webhook until its id is known.",
  },
  gaveUp: {
    code: "gave-up",
    text: "Gave up after one refusal. Repeat the call with the same idempotency key, after Retry-After or with growing pauses, or let your own caller repeat it.",
  },
  gaveUpLater: {
    code: "gave-up",
    text: "Gave up, although the call works again. Keep open work, and repeat the call with the same idempotency key.",
  },
  notDone: {
    code: "error-taken-for-not-done",
    text: "An error was taken for not done. After a lost answer, a timeout or a 5xx, the call may have been carried out. Repeat it with the same idempotency key, or look it up, before you store that it failed.",
  },
  twiceAtOnce: {
    code: "request-handled-twice",
    text: "Two requests of the same moment both do the work (check, then insert). Insert the order under a unique key first, and call the platform only if the insert succeeded.",
  },
} as const satisfies Readonly<Record<string, { readonly code: string; readonly text: string }>>;

/** The name of a row. */
export type CauseKey = keyof typeof causeTable;

/** The codes that reports and tests compare. `books-differ` stands for differences between the books and the ledger. */
export type CauseCode = (typeof causeTable)[CauseKey]["code"] | "numbered-by-arrival" | "books-differ";
