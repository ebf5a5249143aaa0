import type { Sandbox, SandboxObject } from "../src/server/access/sandbox-interface.ts";
import type { SandboxOptions } from "../src/server/settings/sandbox-options.ts";
import { createSandbox } from "../src/library/sandbox.ts";
import { sentenceOf } from "../src/server/control/client.js";
import { isBalanced } from "../src/simulator/platform/ledger/ledger.ts";
import { assertDefined } from "../src/simulator/engine/assertion.ts";
import { ScriptedReceiver } from "../src/scenarios/receiver.ts";
import { transportTo } from "../src/simulator/webhooks/in-process.ts";

export const ACME_ACCOUNT = "11111111-1111-4111-8111-111111111111";
export const RECEIVER_URL = "http://receiver.example/webhooks";

/** How a partner asks: by default with acme's token, and with a key where one is given. */
export interface Asked {
  readonly body?: unknown;
  readonly token?: string | null;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: SandboxObject;
}

/** A sandbox that also takes words that the compiler does not know: tests send wrong ones. */
export interface UntypedSandbox extends Sandbox {
  act: ((act: string, input?: object) => Promise<SandboxObject>) & Sandbox["act"];
  plan: ((plan: object) => Promise<SandboxObject>) & Sandbox["plan"];
  fault: ((fault: object) => Promise<SandboxObject>) & Sandbox["fault"];
  fork: ((options?: object) => Promise<SandboxObject>) & Sandbox["fork"];
  deliveries: (() => Promise<SandboxObject[]>) & Sandbox["deliveries"];
}

export type UntypedOptions = Omit<SandboxOptions, "assumptions" | "webhookUrl"> & {
  readonly assumptions?: object;
  readonly webhookUrl?: string | undefined;
};

/** `createSandbox` for words that the compiler does not know. */
export async function createUntypedSandbox(options: UntypedOptions = {}): Promise<UntypedSandbox> {
  return (await createSandbox(options as SandboxOptions)) as UntypedSandbox;
}

/** A sandbox as a test has it: frozen at 09:00 in Brasília, its books checked after every command. */
export interface Partner extends AsyncDisposable {
  readonly sandbox: UntypedSandbox;
  readonly receiver: ScriptedReceiver;
  /** Asks the platform API or the sandbox's own API. */
  ask(method: string, path: string, asked?: Asked): Promise<Answered>;
  /** Does an act, and does not wait for its webhooks; fails the test where it is refused. */
  act(act: string, input?: Readonly<Record<string, unknown>>): Promise<SandboxObject>;
  advance(target: Parameters<Sandbox["advance"]>[0]): Promise<SandboxObject>;
  /** The bodies of all webhooks so far, oldest first. */
  webhooks(): Promise<SandboxObject[]>;
}

/** Opens a sandbox whose webhooks reach a receiver in this process. */
export async function openPartner(options: UntypedOptions = {}): Promise<Partner> {
  const receiver = new ScriptedReceiver();
  const sandbox = await createUntypedSandbox({
    seed: 7,
    start: "2026-11-20T09:00:00-03:00",
    webhookUrl: RECEIVER_URL,
    transport: transportTo(receiver),
    audit: (simulation) => {
      if (!isBalanced(simulation.records)) throw new Error("the books do not balance");
    },
    ...options,
  });
  const partner: Partner = {
    sandbox,
    receiver,
    ask: (method, path, asked = {}) => ask(sandbox, { method, path, ...asked }),
    act: async (act, input) => {
      const { status, body } = await ask(sandbox, {
        method: "POST",
        path: `/sandbox/acts/${act}`,
        body: input,
      });
      if (status !== 200) throw new Error(sentenceOf(body));
      return body;
    },
    advance: (target) => sandbox.advance(target),
    webhooks: async () => {
      await sandbox.advance("PT0S");
      const deliveries = await sandbox.deliveries();
      return deliveries.map((delivery) => delivery["body"] as SandboxObject);
    },
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
  return partner;
}

/** A valid journey 2 request; what a test is about, it writes over it. */
export function subscriptionBody(changed: object = {}): SandboxObject {
  return {
    accountId: ACME_ACCOUNT,
    type: "AUTHORIZATION_QRCODE",
    externalId: "subscription-1",
    description: "Gym membership",
    webhookUrl: RECEIVER_URL,
    frequencyType: "MONTHLY",
    startDate: "2026-11-20",
    allowChargeAfterDueDate: true,
    allowAdjustToBusinessDay: false,
    debtor: { name: "Dora Devedora", document: { type: "CPF", number: "52998224725" } },
    ...changed,
  };
}

/** A valid PIX payout by key; what a test is about, it writes over it. */
export function payoutBody(changed: object = {}): SandboxObject {
  return {
    externalId: "payout-1",
    accountId: ACME_ACCOUNT,
    paymentMethod: "PIX",
    paymentData: { pixKey: "ok@pix.example" },
    amount: { currency: "BRL", value: "1250.00" },
    description: "Invoice 42",
    ...changed,
  };
}

/** Creates a subscription and gives the answer's body. */
export async function createSubscription(partner: Partner, changed: object = {}): Promise<SandboxObject> {
  const path = "/order/v1/banking/subscriptions";
  const answered = await partner.ask("POST", path, { body: subscriptionBody(changed) });
  if (answered.status !== 201)
    throw new Error(`no subscription was created: ${JSON.stringify(answered.body)}`);
  return answered.body;
}

/** The detail about one field of an error body. */
export function detail(answered: Answered, field: string): SandboxObject {
  const details = (answered.body["details"] ?? []) as SandboxObject[];
  return assertDefined(
    details.find((one) => one["field"] === field),
    `a detail about ${field} in ${JSON.stringify(answered.body)}`,
  );
}

async function ask(
  sandbox: UntypedSandbox,
  asked: Asked & { method: string; path: string },
): Promise<Answered> {
  const { method, path, body, token = "acme-token", key, headers } = asked;
  const response = await sandbox.fetch(path, {
    method,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(key !== undefined && { "idempotency-key": key }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as SandboxObject,
  };
}
