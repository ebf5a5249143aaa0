/** A webhook as it reached the receiver. */
export interface ReceivedWebhook {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  /** The exact text of the body. */
  readonly body: string;
}

/** A full HTTP answer, or the way in which none came: the words of a delivery attempt's `error`. */
export type ReceiverAnswer =
  | { readonly status: number; readonly headers: { readonly [name: string]: string }; readonly body: string }
  | { readonly error: "timeout" | "refused" | "reset" };

/** What a scenario may write for one answer. */
export type ScriptedAnswer =
  | number
  | "timeout"
  | "refuse"
  | "reset"
  | {
      readonly status: number;
      readonly headers?: { readonly [name: string]: string };
      readonly body?: unknown;
    };

const silences = { timeout: "timeout", refuse: "refused", reset: "reset" } as const;

/** Answers in which HTTP allows no body. */
const bodiless = new Set([204, 205, 304]);

/**
 * The built-in webhook receiver: it acknowledges everything unless it is told otherwise, and remembers all it
 * was sent, in the order in which it came.
 */
export class ScriptedReceiver {
  readonly received: ReceivedWebhook[] = [];
  #answers: ScriptedAnswer[] = [];
  #always = false;

  /**
   * Says how the next attempts are answered, one answer each. What an earlier script left over is dropped.
   * Past the end every attempt is acknowledged, or with `always` gets the last answer again.
   */
  script(answers: readonly ScriptedAnswer[], options: { always?: boolean } = {}): void {
    this.#answers = [...answers];
    this.#always = options.always ?? false;
  }

  answer(request: ReceivedWebhook): ReceiverAnswer {
    this.received.push(request);
    const keep = this.#always && this.#answers.length === 1;
    const next = keep ? this.#answers[0] : this.#answers.shift();
    return spoken(next ?? 200);
  }
}

function spoken(answer: ScriptedAnswer): ReceiverAnswer {
  if (typeof answer === "string") return { error: silences[answer] };
  if (typeof answer === "number") return spoken({ status: answer });
  const { status, body = { returnCode: status >= 200 && status < 300 ? "OK" : "ERROR" } } = answer;
  const headers = Object.fromEntries(
    Object.entries(answer.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  if (bodiless.has(status)) return { status, headers, body: "" };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const type = typeof body === "string" ? "text/plain; charset=utf-8" : "application/json";
  return { status, headers: { "content-type": type, ...headers }, body: text };
}
