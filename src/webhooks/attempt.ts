/** Why an attempt failed, in the words of the delivery log (product: Deliveries). */
export type AttemptError =
  "dns" | "refused" | "tls" | "timeout" | "reset" | "protocol" | "non-2xx" | "redirect" | "egress-blocked";

/** One POST to a receiver. The bytes are sent as they are, and they are what was signed. */
export interface WebhookRequest {
  readonly url: string;
  /** Values may hold Latin-1 characters, each of which is one byte on the wire. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Wall time for the whole attempt, from resolving the name to the end of the answer. */
  readonly deadlineMs: number;
  /** How much of the answer's body is kept; 64 KiB unless given. */
  readonly responseLimitBytes?: number;
}

/** What came of one attempt; `error` is null where the receiver acknowledged with a 2xx status line. */
export interface AttemptResult {
  readonly status: number | null;
  readonly error: AttemptError | null;
  /** What happened and what to do about it, for a person. */
  readonly message: string;
  /** Names in lower case; a header that came more than once is joined by commas. */
  readonly responseHeaders: Readonly<Record<string, string>>;
  /** The body as UTF-8 text, never decompressed. */
  readonly responseBody: string;
  /** Whether the body was longer than the limit, broken, or still coming at the deadline. */
  readonly responseTruncated: boolean;
  /** Wall time; it belongs in no journal. */
  readonly durationMs: number;
}

/** What the receiver said: the status line with as much of the rest as was read. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly truncated: boolean;
}

const ADVICE: Readonly<Record<AttemptError, string>> = {
  dns: "Check the host in the webhook URL.",
  refused: "Start the receiver, or correct the host and port in the webhook URL.",
  tls: "Serve a certificate that is valid for this host, or use http with a receiver on your own machine.",
  timeout: "Answer first and do the work afterwards.",
  reset: "Look in the receiver's log for what happened at this time.",
  protocol: "Check that the webhook URL leads to an HTTP server, and what stands between it and the sandbox.",
  "non-2xx": "Answer 2xx once the event is stored.",
  redirect: "Register the final URL: redirects are not followed.",
  "egress-blocked": "Register another URL, or change the egress mode or its allow-list.",
};

/** An attempt that got no answer: its message reads *Failed to deliver: <found>. <advice>*. */
export class AttemptFailure extends Error {
  readonly error: AttemptError;

  constructor(error: AttemptError, found: string, advice: string = ADVICE[error]) {
    super(`Failed to deliver: ${found}. ${advice}`);
    this.name = "AttemptFailure";
    this.error = error;
  }
}

const DEADLINE_MAX_MS = 2 ** 31 - 1;

/**
 * Runs one exchange under one total deadline of wall time and turns whatever comes of it into a result; it
 * never rejects. The signal aborts at the deadline, and at the end too, so that nothing opened outlives it.
 * `classify` gives names to the errors of the transport.
 */
export async function attempt(
  request: WebhookRequest,
  exchange: (signal: AbortSignal) => Promise<Answer>,
  classify: (error: unknown) => AttemptFailure,
): Promise<AttemptResult> {
  const startedMs = performance.now();
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), Math.min(request.deadlineMs, DEADLINE_MAX_MS));
  const durationMs = (): number => Math.round(performance.now() - startedMs);
  try {
    const answer = await exchange(deadline.signal);
    return { ...judge(answer), durationMs: durationMs() };
  } catch (thrown) {
    return { ...unanswered(failureOf(thrown, deadline.signal, request, classify)), durationMs: durationMs() };
  } finally {
    clearTimeout(timer);
    deadline.abort();
  }
}

/** The status line decides, whatever became of the body (interface: Events, Delivery rule 2). */
function judge({ status, headers, body, truncated }: Answer): Omit<AttemptResult, "durationMs"> {
  const error = status >= 200 && status < 300 ? null : status >= 300 && status < 400 ? "redirect" : "non-2xx";
  const rest = { responseHeaders: headers, responseBody: body, responseTruncated: truncated };
  if (error === null) {
    const note = truncated ? "; the end of its body was not read" : "";
    return { status, error, message: `The receiver answered ${status}${note}.`, ...rest };
  }
  const location = headers["location"];
  const where = error === "redirect" && location !== undefined ? ` with a redirect to ${location}` : "";
  const { message } = new AttemptFailure(error, `the receiver answered ${status}${where}`);
  return { status, error, message, ...rest };
}

function unanswered({ error, message }: AttemptFailure): Omit<AttemptResult, "durationMs"> {
  return { status: null, error, message, responseHeaders: {}, responseBody: "", responseTruncated: false };
}

/** At the deadline every open call fails in its own way; what happened is that the time was up. */
function failureOf(
  thrown: unknown,
  signal: AbortSignal,
  { deadlineMs }: WebhookRequest,
  classify: (error: unknown) => AttemptFailure,
): AttemptFailure {
  if (thrown instanceof AttemptFailure) return thrown;
  if (signal.aborted) return new AttemptFailure("timeout", `no answer came within ${deadlineMs} ms`);
  return classify(thrown);
}
