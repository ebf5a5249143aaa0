/** A webhook as it reached the receiver. */
export interface ReceivedWebhook {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  /** The exact text of the body. */
  readonly body: string;
  /** False if the connection ended in the middle of the body. True by default. */
  readonly isWhole?: boolean;
}

/** The reason of a missing answer, in the words of a delivery attempt's `error`. */
type NoAnswer = "timeout" | "refused" | "reset" | "dns" | "tls" | "protocol" | "egress-blocked";

/** A full HTTP answer, or the reason why it is missing, with the sentence of the attempt if it matters. */
export type ReceiverAnswer =
  | {
      readonly status: number;
      readonly headers: { readonly [name: string]: string };
      readonly body: string;
      /** True if only a part of the body was read. */
      readonly truncated?: boolean;
    }
  | { readonly error: NoAnswer; readonly message?: string };

/** An answer as a scenario may write it. */
export type ScriptedAnswer =
  | number
  | "timeout"
  | "refuse"
  | "reset"
  | {
      readonly status: number;
      readonly headers?: { readonly [name: string]: string };
      readonly body?: unknown;
      readonly truncated?: boolean;
      /** True if headers and body are sent unchanged, without an added content type. */
      readonly exact?: boolean;
    }
  | { readonly error: NoAnswer; readonly message?: string };

/** An answer to a webhook that is held back: the oldest one, or the one with the number `to`. */
export type ScriptedReply = ScriptedAnswer | { readonly to: number; readonly answer: ScriptedAnswer };

const NO_ANSWERS = { timeout: "timeout", refuse: "refused", reset: "reset" } as const;

/** The statuses that HTTP allows only without a body. */
const WITHOUT_BODY = new Set([204, 205, 304]);

/**
 * The built-in webhook receiver. By default it acknowledges every webhook. It keeps all webhooks in the order of
 * arrival.
 */
export class ScriptedReceiver {
  readonly received: ReceivedWebhook[] = [];
  #answers: ScriptedAnswer[] = [];
  #always = false;
  #holds = false;
  #held: ((answer: ReceiverAnswer) => void)[] = [];

  /**
   * Sets the answers of the next attempts, one each. Answers left over from before are dropped. After the last one
   * every attempt is acknowledged, or with `always` gets the last answer again. Webhooks that are held back are
   * answered first.
   */
  script(answers: readonly ScriptedAnswer[], options: { always?: boolean } = {}): void {
    this.#answers = [...answers];
    this.#always = options.always ?? false;
    this.#holds = false;
    for (const resolve of this.#held.splice(0)) resolve(this.#next());
  }

  /** Holds all webhooks back until `script` or `reply` answers them. */
  hold(): void {
    this.#holds = true;
  }

  get holds(): boolean {
    return this.#holds;
  }

  /** The number of webhooks that are held back. */
  get heldCount(): number {
    return this.#held.length;
  }

  /**
   * Answers the webhook that has waited longest, or the webhook with the number `to`. Returns false if it does not
   * exist.
   */
  reply(reply: ScriptedReply): boolean {
    const isAddressed = typeof reply === "object" && "to" in reply;
    const [resolve] = this.#held.splice(isAddressed ? reply.to - 1 : 0, 1);
    resolve?.(fullAnswer(isAddressed ? reply.answer : reply));
    return resolve !== undefined;
  }

  /** Receives a webhook. Half a webhook is answered only by the script. */
  receive(request: ReceivedWebhook): ReceiverAnswer | Promise<ReceiverAnswer> {
    if (!this.#holds) return this.answer(request);
    this.received.push(request);
    return new Promise((resolve) => {
      this.#held.push(resolve);
    });
  }

  /** Ends an attempt that this receiver does not see, at once or with the reply to it. */
  miss(): Promise<undefined> | undefined {
    if (!this.#holds) return undefined;
    return new Promise((resolve) => {
      this.#held.push(() => resolve(undefined));
    });
  }

  /** Answers at once, by the script. */
  answer(request: ReceivedWebhook): ReceiverAnswer {
    this.received.push(request);
    return this.#next(request.isWhole === false ? "reset" : 200);
  }

  #next(unscripted: ScriptedAnswer = 200): ReceiverAnswer {
    const keep = this.#always && this.#answers.length === 1;
    const next = keep ? this.#answers[0] : this.#answers.shift();
    return fullAnswer(next ?? unscripted);
  }
}

/** Completes an answer as a scenario writes it. */
export function fullAnswer(answer: ScriptedAnswer): ReceiverAnswer {
  if (typeof answer === "string") return { error: NO_ANSWERS[answer] };
  if (typeof answer === "number") return fullAnswer({ status: answer });
  if ("error" in answer) return answer;
  const { status, truncated } = answer;
  const { body = { returnCode: status >= 200 && status < 300 ? "OK" : "ERROR" } } = answer;
  const headers = Object.fromEntries(
    Object.entries(answer.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const rest = truncated === undefined ? {} : { truncated };
  if (answer.exact === true) return { status, headers, body: typeof body === "string" ? body : "", ...rest };
  if (WITHOUT_BODY.has(status)) return { status, headers, body: "", ...rest };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const type = typeof body === "string" ? "text/plain; charset=utf-8" : "application/json";
  return { status, headers: { "content-type": type, ...headers }, body: text, ...rest };
}
