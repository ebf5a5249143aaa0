/** A webhook as it reached the receiver. */
export interface ReceivedWebhook {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  /** The exact text of the body. */
  readonly body: string;
  /** False where the connection ended in the middle of the body; whole unless given. */
  readonly isWhole?: boolean;
}

/** The ways in which no answer comes: the words of a delivery attempt's `error`. */
type Silence = "timeout" | "refused" | "reset" | "dns" | "tls" | "protocol" | "egress-blocked";

/** A full HTTP answer, or the way in which none came, with the sentence that told of it where that matters. */
export type ReceiverAnswer =
  | {
      readonly status: number;
      readonly headers: { readonly [name: string]: string };
      readonly body: string;
      /** Whether there was more of the body than was read. */
      readonly truncated?: boolean;
    }
  | { readonly error: Silence; readonly message?: string };

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
      readonly truncated?: boolean;
      /** Whether the headers and the body are sent just as they stand, with nothing put in. */
      readonly exact?: boolean;
    }
  | { readonly error: Silence; readonly message?: string };

/** An answer to one of the webhooks that are held back; to the oldest unless `to` counts to another. */
export type ScriptedReply = ScriptedAnswer | { readonly to: number; readonly answer: ScriptedAnswer };

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
  #holds = false;
  #held: ((answer: ReceiverAnswer) => void)[] = [];

  /**
   * Says how the next attempts are answered, one answer each. What an earlier script left over is dropped.
   * Past the end every attempt is acknowledged, or with `always` gets the last answer again. What was held back
   * until now is answered first.
   */
  script(answers: readonly ScriptedAnswer[], options: { always?: boolean } = {}): void {
    this.#answers = [...answers];
    this.#always = options.always ?? false;
    this.#holds = false;
    for (const resolve of this.#held.splice(0)) resolve(this.#next());
  }

  /** Answers nothing from here on until it is told what to say. */
  hold(): void {
    this.#holds = true;
  }

  get holds(): boolean {
    return this.#holds;
  }

  /** How many webhooks wait for an answer. */
  get heldCount(): number {
    return this.#held.length;
  }

  /** Answers the webhook that has waited longest, or the one that `to` counts to; false where there is none. */
  reply(reply: ScriptedReply): boolean {
    const isAddressed = typeof reply === "object" && "to" in reply;
    const [resolve] = this.#held.splice(isAddressed ? reply.to - 1 : 0, 1);
    resolve?.(spoken(isAddressed ? reply.answer : reply));
    return resolve !== undefined;
  }

  /** Takes in a webhook; its answer comes once there is one. Half a one it answers only where it is told to. */
  receive(request: ReceivedWebhook): ReceiverAnswer | Promise<ReceiverAnswer> {
    if (!this.#holds) return this.answer(request);
    this.received.push(request);
    return new Promise((resolve) => {
      this.#held.push(resolve);
    });
  }

  /** Something ends that this receiver gets to see nothing of: at once, or when it is its turn to be replied to. */
  miss(): Promise<undefined> | undefined {
    if (!this.#holds) return undefined;
    return new Promise((resolve) => {
      this.#held.push(() => resolve(undefined));
    });
  }

  /** Answers at once, as the script says. */
  answer(request: ReceivedWebhook): ReceiverAnswer {
    this.received.push(request);
    return this.#next(request.isWhole === false ? "reset" : 200);
  }

  #next(unscripted: ScriptedAnswer = 200): ReceiverAnswer {
    const keep = this.#always && this.#answers.length === 1;
    const next = keep ? this.#answers[0] : this.#answers.shift();
    return spoken(next ?? unscripted);
  }
}

/** The whole answer behind what a scenario writes for it. */
export function spoken(answer: ScriptedAnswer): ReceiverAnswer {
  if (typeof answer === "string") return { error: silences[answer] };
  if (typeof answer === "number") return spoken({ status: answer });
  if ("error" in answer) return answer;
  const { status, truncated } = answer;
  const { body = { returnCode: status >= 200 && status < 300 ? "OK" : "ERROR" } } = answer;
  const headers = Object.fromEntries(
    Object.entries(answer.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const rest = truncated === undefined ? {} : { truncated };
  if (answer.exact === true) return { status, headers, body: typeof body === "string" ? body : "", ...rest };
  if (bodiless.has(status)) return { status, headers, body: "", ...rest };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const type = typeof body === "string" ? "text/plain; charset=utf-8" : "application/json";
  return { status, headers: { "content-type": type, ...headers }, body: text, ...rest };
}
