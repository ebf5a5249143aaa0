import type { CauseCode } from "../cause-texts.ts";
import { type AttemptResult, type WebhookRequest } from "../../server/access/webhook-sending.ts";
import { quoted } from "../../server/control/shell.js";

/** A request with its result. */
export interface Sent extends AttemptResult {
  readonly request: WebhookRequest;
}

/**
 * The verdict of a check:
 * - pass, fail: the check has a clear result;
 * - warn: it works now, but can cause problems later;
 * - inconclusive: the result is not visible from outside the receiver;
 * - skipped: the check was not tried.
 */
export type CheckVerdict = "pass" | "fail" | "warn" | "inconclusive" | "skipped";

/** must: security and money. should: good practice of an integration. info: a fact without effect on the verdict. */
export type CheckLevel = "must" | "should" | "info";

/** The result of a check. */
export interface Finding {
  readonly verdict: CheckVerdict;
  /** The level of the finding, if it is different from the level of the check. */
  readonly level?: CheckLevel;
  /** The code of the cause, if the state shows it. The id of the check otherwise. */
  readonly code?: CauseCode;
  /** The probable cause, or the reason for a missing result, as a sentence. */
  readonly cause?: string;
  /** The change to make, as a sentence. */
  readonly fix?: string;
  /** The requests and their answers. */
  readonly evidence?: readonly SentEvidence[];
  /** The verdict for each kind of object, if it is not the same for all. */
  readonly families?: readonly {
    /** The kind of object. */
    readonly family: string;
    readonly verdict: CheckVerdict;
    /** The code of the cause, if the state shows it. */
    readonly code?: CauseCode;
    /** The reason if it did not pass. */
    readonly cause?: string;
  }[];
  /** A fact for the reader although the check did not fail, as a sentence. */
  readonly note?: string;
  /** True if no answer came in time. */
  readonly isLate?: true;
  /** True if it did not run, because the budget of requests or time was used up. */
  readonly isUnmade?: true;
}

/** One request and an answer other than the expected one. */
export interface SentEvidence {
  readonly sent: string;
  readonly expected: string;
  readonly answered: string;
  /** A command line that sends the same request again. Absent if no command line can send it. */
  readonly curl?: string;
}

export const PASS: Finding = { verdict: "pass" };

export function failed(cause: string, fix: string, evidence?: readonly SentEvidence[]): Finding {
  return { verdict: "fail", cause, fix, ...(evidence && { evidence }) };
}

/** Returns the finding about a state whose cause is known. */
export function failedBy(code: CauseCode, ...given: Parameters<typeof failed>): Finding {
  return { ...failed(...given), code };
}

export function warned(cause: string, fix: string, evidence?: readonly SentEvidence[]): Finding {
  return { ...failed(cause, fix, evidence), verdict: "warn" };
}

export function skipped(cause: string, fix?: string): Finding {
  return { verdict: "skipped", cause, ...(fix !== undefined && { fix }) };
}

export function inconclusive(cause: string, fix?: string): Finding {
  return { ...skipped(cause, fix), verdict: "inconclusive" };
}

/** Returns a request and its answer as evidence. */
export function evidenceOf(sent: Sent, what: string, expected: string): SentEvidence {
  const { status, responseBody, message, request } = sent;
  const body = responseBody.trim().slice(0, 300);
  const answered = status === null ? message : `${status}${body === "" ? "" : ` ${body}`}`;
  const curl = curlOf(request);
  return { sent: what, expected, answered, ...(curl !== undefined && { curl }) };
}

/** A longer command line does not help anyone. */
const CURL_BODY_MAX_BYTES = 4096;

/** Returns a command line that sends a request again, byte for byte. Undefined if no shell can hold it. */
function curlOf({ url, headers, body }: WebhookRequest): string | undefined {
  const text = Buffer.from(body).toString("utf8");
  const isExact = Buffer.compare(Buffer.from(text), Buffer.from(body)) === 0 && !text.includes("\0");
  const isPlain = Object.values(headers).every((value) => /^[\x20-\x7e]*$/.test(value));
  if (body.length > CURL_BODY_MAX_BYTES || !isExact || !isPlain) return undefined;
  const lines = Object.entries(headers).map(([name, value]) =>
    value === "" ? `-H ${quoted(`${name};`)}` : `-H ${quoted(`${name}: ${value}`)}`,
  );
  return ["curl -i", ...lines, `--data-binary ${quoted(text)}`, quoted(url)].join(" ");
}
