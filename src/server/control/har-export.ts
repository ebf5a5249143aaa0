import { DURATION_MS, type JournalEntry, type JournalNote } from "../../simulator/engine/journal.ts";
import type { RequestInput } from "../../simulator/worlds/inbound-request.ts";
import type { Simulation } from "../../simulator/engine/simulation.ts";
import type { World } from "../../simulator/worlds/world.ts";
import { companies } from "../../simulator/platform/companies/company.ts";
import { type Attempt, type Delivery, deliveries } from "../../simulator/platform/webhook-events/delivery.ts";
import { type HarEntry, harEntry } from "../../traffic/har.ts";
import { payouts } from "../../simulator/platform/payouts/payout.ts";
import { Redactor } from "../../traffic/redaction.ts";
import { requestOf } from "../../simulator/worlds/request-log.ts";
import { sha256 } from "@noble/hashes/sha2.js";
import { SIGNATURE_HEADER, signatureOf } from "../../simulator/api/signature.ts";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { withQrImages } from "../../simulator/qr-images/qr-images.ts";

/** A piece of this length is written within a few milliseconds. */
const PIECE_CHARACTERS = 16_384;

/** The source of a document. After a reset the world has another session, and this one stays as it was. */
interface HarSession extends Pick<Simulation, "journal" | "records"> {
  /** The id of the world. */
  readonly id: string;
  /** The address of the sandbox, however a call named it. */
  readonly origin: string;
}

/**
 * Returns the session of a world as the text of a HAR 1.2 document, piece by piece. It has every call that the
 * journal still has and every attempt of a webhook, in order, with the times of the world's clock. Tokens, secrets,
 * cards and personal data are replaced as `sandbank record` does. The same world gives the same document.
 */
export function harOf(world: World): Iterator<string> {
  const { journal, records } = world.shown();
  const { id } = world;
  const commands = [...journal.newestFirst()].reverse();
  const origin = commands.map((one) => requestOf(one)?.origin).findLast((found) => found !== undefined) ?? "";
  const session = { id, journal, records, origin };
  const redactor = new Redactor(sha256(utf8ToBytes(`har ${world.settings.seed}`)));
  const creator = {
    name: "sandbank",
    version: "1",
    comment: `The world ${id}, with the times of its clock.`,
  };
  return (function* pieces() {
    let text = `{"log":{"version":"1.2","creator":${JSON.stringify(creator)},"entries":[`;
    let separator = "";
    for (const entry of exchangesOf(session, commands)) {
      text += separator + JSON.stringify(redactor.entry(entry));
      separator = ",";
      if (text.length < PIECE_CHARACTERS) continue;
      yield text;
      text = "";
    }
    yield `${text}]}}`;
  })();
}

function* exchangesOf(
  session: HarSession,
  commands: readonly (JournalEntry | JournalNote)[],
): Generator<HarEntry> {
  for (const one of commands) {
    const input = requestOf(one);
    if (input !== undefined) yield callEntry(session, { one, input });
    if ("timeline" in one) yield* attemptsIn(session, one);
  }
}

function callEntry(
  { id, origin }: HarSession,
  { one, input }: { readonly one: JournalEntry | JournalNote; readonly input: RequestInput },
): HarEntry {
  const { method, path, headers, text, status, answer, answerHeaders, isAnswerCut, isAltered, injected } =
    input;
  const isSafe = method === "GET" || method === "HEAD";
  // The world's clock stops while a call is answered. The wall clock does not count.
  const durationMs = 0;
  const cut = isAnswerCut === true || (isAltered === true && (text?.length ?? 0) >= 16_000);
  return harEntry({
    startedAt: one.at,
    durationMs,
    method,
    url: origin + path,
    requestHeaders: headerList(headers),
    requestBody: text === undefined || (isSafe && text === "") ? null : utf8ToBytes(text),
    status: status ?? 0,
    responseHeaders: headerList(answerHeaders ?? {}),
    responseBody: utf8ToBytes(isAnswerCut === true ? "" : (answer ?? "")),
    _world: id,
    ...(injected !== undefined && injected.length > 0 && { _injected: injected }),
    ...(status === null && { _error: "The connection was dropped." }),
    ...(cut && { _error: "A body is longer than the journal's limit; the rest is left out." }),
  });
}

function* attemptsIn(session: HarSession, { timeline }: JournalEntry): Generator<HarEntry> {
  for (const { kind, delivery: id, number } of timeline) {
    if (kind !== "attempt" || typeof id !== "string" || typeof number !== "number") continue;
    const delivery = session.records.get(deliveries, id);
    const attempt = delivery?.attempts.find((one) => one.number === number);
    if (delivery !== undefined && attempt !== undefined) yield attemptEntry(session, delivery, attempt);
  }
}

function attemptEntry(session: HarSession, delivery: Delivery, attempt: Attempt): HarEntry {
  const { at, requestHeaders, status, responseHeaders, responseBody, error, message } = attempt;
  const body = utf8ToBytes(withQrImages(attempt.requestBody));
  const header = Object.entries(requestHeaders).find(
    ([name]) => name.toLowerCase() === SIGNATURE_HEADER.toLowerCase(),
  );
  const company = session.records.get(companies, delivery.companyId);
  const known = company === undefined ? [] : [company.webhook.secret, ...company.webhook.formerSecrets];
  const secret = known.find((one) => signatureOf(one, body) === header?.[1]);
  const injected = injectedInto(delivery, attempt);
  return harEntry({
    startedAt: at,
    durationMs: error === "timeout" ? (attempt[DURATION_MS] ?? 0) : 0,
    method: "POST",
    url: delivery.url,
    requestHeaders: headerList(requestHeaders),
    requestBody: body,
    status: status ?? 0,
    responseHeaders: headerList(responseHeaders),
    responseBody: utf8ToBytes(responseBody),
    _direction: "webhook",
    _world: session.id,
    ...(header !== undefined && {
      _signature: secret === undefined ? { fits: false } : { fits: true, secret },
    }),
    ...(isByHand(session, delivery) && { _byHand: true as const }),
    ...(injected.length > 0 && { _injected: injected }),
    ...(status === null && { _error: message }),
  });
}

/** Whether an act brought the event about, or a slow key of the fixtures, in its own time. */
function isByHand({ journal, records }: HarSession, { announcedBy, objectId }: Delivery): boolean {
  const isSlow = records.get(payouts, objectId)?.destination.settlement?.delay !== undefined;
  return isSlow || journal.entry(announcedBy)?.cause.by === "act";
}

/** Returns the effects of faults on a delivery, and a manual resend. A platform never does these on its own. */
function injectedInto({ faults, attempts, duplicateOf }: Delivery, { trigger }: Attempt): readonly string[] {
  const effects = [...faults.map(({ effect }) => effect), ...attempts.flatMap(({ injected }) => injected)];
  if (duplicateOf !== null) effects.push("duplicate");
  return [...new Set<string>(trigger === "manual" ? [...effects, "resend"] : effects)];
}

function headerList(headers: Readonly<Record<string, string>>) {
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}
