import type { Instant } from "../engine/instant.ts";
import type { JournalEntry } from "../engine/journal.ts";
import type { WireEffectName } from "../platform/faults/effects.ts";
import { AttemptFailure, failureOf, kindOf } from "./attempt-failure.ts";
import { saysTlsExpected, tlsExpected, tlsFailure, wantsTls } from "./tls-failure.ts";
import type { AttemptError } from "../platform/webhook-events/delivery.ts";
import type { EgressMode } from "./egress-guard.ts";

import { clearTimeout, setTimeout } from "node:timers";
import { performance } from "node:perf_hooks";

/** The adjustable parts of a manner. A fault uses the defaults. */
export interface WireOptions {
  /** The number of pieces or chunks. Default: 20 pieces, 3 chunks. */
  readonly pieces?: number;
  /** The wall time between two pieces; default: 100. */
  readonly pauseMs?: number;
  /** The number of sent bytes of a cut-off body, always less than the whole body. Default: half of it. */
  readonly sentBytes?: number;
}

export interface HoldLastByte {
  readonly kind: "hold-last-byte";
  /** Called when the receiver has all bytes but the last one. */
  readonly allButLastSent: () => void;
  /** Resolves when the last byte may be sent. */
  readonly released: Promise<void>;
}

export type WireManner = (WireOptions & { readonly kind: WireEffectName }) | HoldLastByte;

/** One POST to a receiver. The bytes are sent unchanged: the signature covers these bytes. */
export interface WebhookRequest {
  readonly url: string;
  /** Values may contain Latin-1 characters. Each is one byte on the wire. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Wall time for the whole attempt, from resolving the name to the end of the answer. */
  readonly deadlineMs: number;
  /** The fault on the wire; default: no fault. */
  readonly manner?: WireManner | undefined;
  /** The mode of the guard for this attempt; default: the mode in the guard's settings. */
  readonly egressMode?: EgressMode;
  /** The sending world. Worlds share the connections fairly. */
  readonly world?: string;
  /** The company whose secret signs. Absent if a fault changes the attempt. */
  readonly signedBy?: string;
  /** The event, and the company that gets it. Undefined for a request that no world sends. */
  readonly about?: {
    readonly event: string;
    readonly companyId: string;
    readonly delivery: string;
    /** The number of the attempt. */
    readonly number: number;
    /** The time of the world. */
    readonly at: Instant;
    /** The journal entry that announced the event. Undefined if the journal has dropped it. */
    readonly announcement: JournalEntry | undefined;
  };
  /** Ends the attempt, as if its deadline were reached. */
  readonly signal?: AbortSignal;
  /** Returns true if the attempt is not needed, because its state has ended. */
  readonly isOver?: () => boolean;
}

/** The result of one attempt; `error` is null if the receiver acknowledged with a 2xx status line. */
export interface AttemptResult {
  readonly status: number | null;
  readonly error: AttemptError | null;
  /** The cause and the fix, for a person. */
  readonly message: string;
  /** Names in lower case; a header that was sent more than once is joined by commas. */
  readonly responseHeaders: Readonly<Record<string, string>>;
  /** The body as UTF-8 text, never decompressed. */
  readonly responseBody: string;
  /** True if the body was longer than the limit, was broken, or was incomplete at the deadline. */
  readonly responseTruncated: boolean;
  /** The duration in wall time. It must not be written to a journal. */
  readonly durationMs: number;
}

const DEADLINE_MAX_MS = 2 ** 31 - 1;

/** The reason for the abort of an attempt's signal. Without a reason, each abort makes a new error. */
const DEADLINE = new Error("The deadline of the attempt is reached.");
export const ENDED = new Error("The attempt has ended.");

/**
 * Runs one exchange under one total deadline in wall time, and turns every outcome into a result. It never rejects.
 * The signal aborts at the deadline and at a failure, so that no opened resource outlives the attempt.
 */
export async function attempt(
  { url, deadlineMs, signal: ending }: WebhookRequest,
  exchange: (signal: AbortSignal) => Promise<AttemptResult>,
): Promise<AttemptResult> {
  const startedMs = performance.now();
  const aborting = new AbortController();
  const { signal } = aborting;
  const end = (): void => aborting.abort(DEADLINE);
  const timer = setTimeout(end, Math.min(deadlineMs, DEADLINE_MAX_MS));
  ending?.addEventListener("abort", end, { once: true });
  const durationMs = (): number => Math.round(performance.now() - startedMs);
  try {
    const result = await exchange(signal);
    return { ...result, durationMs: durationMs() };
  } catch (thrown) {
    aborting.abort(ENDED);
    // At the deadline every open call fails in its own way. The cause is always the deadline.
    const failure =
      thrown instanceof AttemptFailure || signal.reason !== DEADLINE
        ? wireFailure(thrown, url)
        : new AttemptFailure("timeout", `no answer came within ${deadlineMs} ms`);
    return { ...unanswered(failure), durationMs: durationMs() };
  } finally {
    clearTimeout(timer);
    ending?.removeEventListener("abort", end);
  }
}

/** Returns the failure of an exchange over an open connection. TLS has sentences of its own. */
function wireFailure(thrown: unknown, url: string): AttemptFailure {
  if (thrown instanceof AttemptFailure) return thrown;
  const { protocol = "", hostname = "" } = URL.parse(url) ?? {};
  if (protocol === "http:" && wantsTls(thrown)) return tlsExpected();
  if (kindOf(thrown) === "tls") return tlsFailure(thrown, hostname);
  const failure = failureOf(thrown);
  if (protocol !== "http:" || failure.error !== "reset") return failure;
  return new AttemptFailure("reset", failure.found, RESET_ADVICE);
}

const RESET_ADVICE =
  "Look in the receiver's log for what happened at this time. If the port is for TLS, write https:// in the webhook URL.";

const SECRET_ADVICE =
  "Give the receiver the webhook secret of the company, because another secret is the usual cause. Answer 2xx once the event is stored.";

/**
 * Returns the result of an answer with the part of its body that was read. The status line decides, even if the body
 * failed (interface: Events, Delivery rule 2). Its duration is not known here.
 */
export function answered(
  status: number,
  headers: AttemptResult["responseHeaders"],
  body: string,
  truncated = false,
): AttemptResult {
  const error = status >= 200 && status < 300 ? null : status >= 300 && status < 400 ? "redirect" : "non-2xx";
  const rest = { responseHeaders: headers, responseBody: body, responseTruncated: truncated, durationMs: 0 };
  if (error === null) {
    const note = truncated ? "; the end of its body was not read" : "";
    return { status, error, message: `The receiver answered ${status}${note}.`, ...rest };
  }
  if (saysTlsExpected(status, body)) return { status, error, message: tlsExpected().message, ...rest };
  const location = headers["location"];
  const where = error === "redirect" && location !== undefined ? ` with a redirect to ${location}` : "";
  const advice = status === 401 || status === 403 ? SECRET_ADVICE : undefined;
  const { message } = new AttemptFailure(error, `the receiver answered ${status}${where}`, advice);
  return { status, error, message, ...rest };
}

/** Returns the result of an attempt that got no answer. Its duration is not known here. */
export function unanswered({ error, message }: Pick<AttemptFailure, "error" | "message">): AttemptResult {
  const rest = { responseHeaders: {}, responseBody: "", responseTruncated: false, durationMs: 0 };
  return { status: null, error, message, ...rest };
}
