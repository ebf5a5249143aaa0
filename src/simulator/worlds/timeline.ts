import type { Cause, JournalEntry, TimelineEntry } from "../engine/journal.ts";
import type { TimelineLine } from "../api/generated/shapes.ts";
import type { RequestInput } from "./inbound-request.ts";
import type { Simulation } from "../engine/simulation.ts";
import { accessTokens } from "../platform/companies/access-token.ts";
import { type Company, companies } from "../platform/companies/company.ts";
import { createHash } from "node:crypto";
import { deliveries } from "../platform/webhook-events/delivery.ts";
import { formatInstant } from "../engine/instant.ts";
import { atOnce, LongWork } from "../../base/long-work.ts";
import { traceparentOf } from "../webhooks/trace.ts";
import { type ShownDelivery, NO_URL, notSent, notSentWithId } from "./not-sent.ts";

/** The timeline of these entries of a journal, in order. Each line is made when it is read. */
export function* timelineLines(
  entries: Iterable<JournalEntry>,
  journal: Pick<Simulation["journal"], "entry" | "isTraced">,
): Generator<TimelineLine> {
  for (const entry of entries) {
    const { at, cause, number, timeline } = entry;
    const traceparent = timeline.length === 0 ? undefined : traceparentOf(journal, entry);
    for (const line of timeline) {
      const { what, objectId, kind, ...fields } = line;
      const unsent = notSent(entry, line);
      yield {
        at: formatInstant(at),
        what: unsent === undefined ? what : `${what} not sent: ${NO_URL}`,
        objectId,
        cause: describeCause(cause),
        kind,
        ...fields,
        ...(unsent && { delivery: unsent.id }),
        entry: number,
        causedBy: cause.entry ?? null,
        ...(traceparent !== undefined && { traceparent }),
      };
    }
  }
}

function describeCause({ by, name }: Cause): string {
  return `${by} ${name}`;
}

/**
 * Explains the state of an object or a delivery. Returns every line about it, and the lines of all its causes, oldest
 * first. The causes lead back to the first calls, acts, plans and faults.
 */
export async function causesOf(
  world: Pick<Simulation, "journal" | "records">,
  id: string,
): Promise<TimelineLine[]> {
  return new LongWork().take(explain(world, id));
}

function* explain(
  { journal, records }: Pick<Simulation, "journal" | "records">,
  id: string,
): Generator<void, TimelineLine[]> {
  const delivery = records.get(deliveries, id) ?? notSentWithId(journal, id);
  const numbers = delivery?.status === "not-sent" ? [delivery.announcedBy] : [];
  for (const word of delivery === undefined ? [aboutWord(id)] : deliveryWords(delivery))
    numbers.push(...(yield* journal.numbersWith(word, causalWords)));
  const about = entriesOf([...new Set(numbers)].toSorted(ascending), journal);
  const lines = Array.from(timelineLines(about, journal)).filter(
    ({ objectId }) => delivery !== undefined || objectId === id,
  );
  const causes = yield* ancestors(about, journal);
  return [...lines, ...timelineLines(causes, journal)].toSorted((a, b) => a.entry - b.entry);
}

type Past = Pick<Simulation["journal"], "entry" | "isTraced" | "numbersWith">;

function entriesOf(numbers: readonly number[], past: Past): JournalEntry[] {
  return numbers.map((number) => past.entry(number)).filter((entry) => entry !== undefined);
}

function ascending(one: number, other: number): number {
  return one - other;
}

/** Returns the words of an entry: its objects and deliveries, and the plans and faults that it armed. */
function causalWords({ cause, timeline, changes }: JournalEntry): readonly string[] {
  const words = new Set<string>();
  for (const { objectId, armed } of timeline) {
    if (objectId !== null) words.add(aboutWord(objectId));
    if (armed !== undefined) words.add(armedWord(armed));
  }
  for (const { collection, id } of changes) if (collection === deliveries.name) words.add(changedWord(id));
  if (cause.by === "delivery") words.add(attemptWord(cause.name, cause.entry));
  return [...words];
}

function aboutWord(objectId: string): string {
  return `about ${objectId}`;
}

function armedWord(planOrFault: TimelineEntry[string]): string {
  return `armed ${String(planOrFault)}`;
}

function changedWord(delivery: string): string {
  return `changed ${delivery}`;
}

function attemptWord(event: string, announcedBy: number | undefined): string {
  return `attempt ${event} ${announcedBy ?? ""}`;
}

/** Returns the words of the entries that changed a delivery, or opened an attempt of it. */
function deliveryWords({ id, status, event, announcedBy }: ShownDelivery): readonly string[] {
  return status === "not-sent" ? [] : [changedWord(id), attemptWord(event, announcedBy)];
}

/** The entries that led to these, which are not among them. */
function* ancestors(from: readonly JournalEntry[], past: Past): Generator<void, JournalEntry[]> {
  const known = new Set(from);
  const found: JournalEntry[] = [];
  const waiting = [...from];
  for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
    for (const cause of yield* directCauses(entry, past)) {
      if (known.has(cause)) continue;
      known.add(cause);
      found.push(cause);
      waiting.push(cause);
    }
  }
  return found;
}

/** The entry of the cause, and the entries that armed the plans and faults that were used. */
function* directCauses({ cause, timeline }: JournalEntry, past: Past): Generator<void, JournalEntry[]> {
  const numbers = cause.entry === undefined ? [] : [cause.entry];
  for (const { used } of timeline)
    if (used !== undefined)
      numbers.push(...(yield* past.numbersWith(armedWord(used), causalWords)).slice(-1));
  return entriesOf(numbers, past);
}

/**
 * Returns the SHA-256 of a journal. Two worlds with the same digest have the same history, byte for byte. It leaves
 * out:
 * - the input of a request, because the same request can be written in many ways;
 * - the name of a world other than the default world, which ends its credentials and is part of its page addresses;
 * - values that no run can choose: the host of page addresses (the host of the request), ports of this machine, and
 * the date of a receiver's answer.
 */
export function journalDigest(entries: readonly JournalEntry[]): string {
  return atOnce(digestOf(entries));
}

/** The digest of a journal of any length, computed in turns. */
export async function journalDigestInTurns(entries: readonly JournalEntry[]): Promise<string> {
  return new LongWork().take(digestOf(entries));
}

/** The digest, which it returns at the end; it can be interrupted after each entry. */
function* digestOf(entries: readonly JournalEntry[]): Generator<void, string> {
  const hash = createHash("sha256");
  const credentials = new Set<string>();
  const fingerprints = new Set<string>();
  for (const entry of entries) {
    addNamedCredentials(entry, credentials);
    addFingerprints(entry, fingerprints);
    yield;
  }
  for (const entry of entries) {
    const text = withoutCredentials(textOf(entry), credentials)
      .replaceAll(PAGE_ADDRESS, "http://localhost/pay/default/")
      .replaceAll(HTTP_DATE, '"date":""');
    hash.update(withoutFingerprints(withoutPorts(text), fingerprints));
    hash.update("\n");
    yield;
  }
  return hash.digest("hex");
}

/** The text of an entry with the credentials that the default world has in place of these, which most worlds lack. */
function withoutCredentials(text: string, credentials: ReadonlySet<string>): string {
  if (credentials.size === 0) return text;
  return text.replaceAll(NAMED_TEXT, (quoted, name: string) =>
    credentials.has(name) ? `"${name.replace(WORLD_SUFFIX, "")}"` : quoted,
  );
}

function withoutPorts(text: string): string {
  return MAY_HAVE_OWN_PORT.test(text) ? text.replaceAll(OWN_PORT, "$1") : text;
}

function withoutFingerprints(text: string, fingerprints: ReadonlySet<string>): string {
  if (fingerprints.size === 0) return text;
  return text.replaceAll(FINGERPRINT, (whole, one: string) =>
    fingerprints.has(one) ? '"fingerprint":""' : whole,
  );
}

/**
 * The texts of the first entries of worlds. Worlds with the same seed share them, and they are as long as a hundred
 * others.
 */
const firstTexts = new WeakMap<JournalEntry, string>();

/** An entry without its input. */
function textOf(entry: JournalEntry): string {
  const known = firstTexts.get(entry);
  if (known !== undefined) return known;
  const { number, at, timeline, changes } = entry;
  const { input: _input, ...cause } = entry.cause;
  const text = JSON.stringify({ number, at, cause, timeline, changes });
  if (number === 1) firstTexts.set(entry, text);
  return text;
}

const WORLD_SUFFIX = /\.w\d+$/;

/** A text in JSON that ends with the name of a world. */
const NAMED_TEXT = /"([^"\\]*\.w\d+)"/g;

const PAGE_ADDRESS = /https?:\/\/[^/"\\\s]+\/pay\/(?:w\d+|default)\//g;

/** A port of this machine. A name below localhost begins at its first character only, so no name is read twice. */
const OWN_PORT =
  /(?<![\w.])(127(?:\.\d{1,3}){3}|localhost|(?<!-)(?:[\w-]+\.)+localhost|\[::1\]|::1):\d{1,5}(?!\d)/g;

/** Is in every text with a port of this machine, and found much faster. */
const MAY_HAVE_OWN_PORT = /localhost:|127\.\d|::1\]?:/;

const HTTP_DATE = /"date":"\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT"/g;

const FINGERPRINT = /"fingerprint":"([0-9a-f]{64})"/g;

/** Adds the fingerprints of requests whose bodies name a port of this machine. */
function addFingerprints({ cause, changes }: JournalEntry, fingerprints: Set<string>): void {
  const { text } = (cause.input ?? {}) as Partial<RequestInput>;
  if (text === undefined || withoutPorts(text) === text) return;
  for (const { after } of changes) {
    const { fingerprint } = (after ?? {}) as { readonly fingerprint?: string };
    if (fingerprint !== undefined) fingerprints.add(fingerprint);
  }
}

/** Adds the tokens and client ids of an entry that end with the name of a world. */
function addNamedCredentials({ changes }: JournalEntry, names: Set<string>): void {
  for (const { collection, before, after } of changes) {
    if (collection !== companies.name && collection !== accessTokens.name) continue;
    for (const record of [before, after]) {
      const name = collection === companies.name ? (record as Company | undefined)?.clientId : record?.id;
      if (name !== undefined && WORLD_SUFFIX.test(name)) names.add(name);
    }
  }
}
