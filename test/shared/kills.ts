import { type PayoutReceiver, type ServerProcess, ask, pay, payoutsOf } from "./servers.ts";
import { setTimeout as pause } from "node:timers/promises";

interface KillOptions {
  readonly kills: number;
  readonly start: () => Promise<ServerProcess>;
  readonly receiver: PayoutReceiver;
  readonly killed?: (kills: number, acknowledged: number) => void;
}

/** What partners were told, and what of it does not hold after all kills: then every list is empty. */
export interface KillReport {
  readonly kills: number;
  /** Payouts, and cancellations of them, that were acknowledged. */
  readonly payouts: number;
  readonly cancellations: number;
  /** Answers that are neither a success nor a request to come back. */
  readonly wrong: readonly string[];
  /** Payouts that are not there with the id that was acknowledged. */
  readonly lost: readonly string[];
  readonly twice: readonly string[];
  /** Payouts that are not as they should be once every timer has fired. */
  readonly unsettled: readonly string[];
  /** Payouts without a webhook of their outcome. */
  readonly untold: readonly string[];
  /** Worlds whose books do not balance. */
  readonly unbalanced: readonly string[];
}

const SERVERS = 3;
const PARTNERS = 6;

/** Every so many payouts one is canceled at once. */
const CANCEL_EVERY = 4;

/** How long the partners go on after the last kill, and how long webhooks may be under way after the last timer. */
const LAST_MS = 500;
const WEBHOOKS_MAX_MS = 20_000;

/**
 * Kills one of three servers after another while partners pay through any of them, cancel payouts and move the clocks
 * of four worlds, and holds the servers to what they answered.
 */
export async function killUnderLoad({ kills, start, receiver, killed }: KillOptions): Promise<KillReport> {
  const servers = await Promise.all(Array.from({ length: SERVERS }, start));
  const any = (): string => servers[Math.floor(Math.random() * servers.length)]!.url;
  const made = await Promise.all(
    servers.map(({ url }) => ask(url, "POST", "/sandbox/worlds", { token: null, body: {} })),
  );
  const tokens = ["acme-token", ...made.map(({ body }) => `acme-token.${String(body["id"])}`)];
  const acknowledged = new Map<string, Map<string, string>>(tokens.map((token) => [token, new Map()]));
  const canceled = new Set<string>();
  const wrong: string[] = [];
  const load = new AbortController();
  let number = 0;

  async function payAndCancel(): Promise<void> {
    while (!load.signal.aborted) {
      const token = tokens[number % tokens.length]!;
      const key = `payout-${number++}`;
      const id = await order(key, token);
      if (id === undefined) continue;
      acknowledged.get(token)?.set(key, id);
      if (number % CANCEL_EVERY === 0) await cancel(key, id, token);
      await pause(5);
    }
  }

  /** Repeats the request with its key until it is answered, as a partner does. */
  async function order(key: string, token: string): Promise<string | undefined> {
    for (;;) {
      const found = await pay(any(), key, token).catch(() => undefined);
      if (found?.status === 201) return String(found.body["id"]);
      if (found !== undefined && found.status !== 503)
        wrong.push(`${found.status} ${JSON.stringify(found.body)}`);
      if (load.signal.aborted && found !== undefined) return undefined;
      await pause(20);
    }
  }

  /** An act has no key: where it is not answered with a success, nobody knows whether it took effect. */
  async function cancel(key: string, id: string, token: string): Promise<void> {
    const path = "/sandbox/acts/payout.cancel";
    const found = await ask(any(), "POST", path, { token, body: { id } }).catch(() => undefined);
    if (found?.status === 200) canceled.add(key);
    else if (found !== undefined && ![409, 422, 503].includes(found.status))
      wrong.push(`${found.status} ${JSON.stringify(found.body)}`);
  }

  async function moveClocks(): Promise<void> {
    while (!load.signal.aborted) {
      for (const token of tokens) await advance(token, "PT1M");
      await pause(200);
    }
  }

  const advance = async (token: string, by: string): Promise<boolean> => {
    const path = "/sandbox/clock/advance";
    return (await ask(any(), "POST", path, { token, body: { by } }).catch(() => undefined))?.status === 200;
  };

  const partners = [...Array.from({ length: PARTNERS }, payAndCancel), moveClocks()];
  const count = (): number => [...acknowledged.values()].reduce((sum, { size }) => sum + size, 0);
  for (let kill = 0; kill < kills; kill++) {
    await pause(300 + Math.random() * 700);
    const index = kill % servers.length;
    await servers[index]!.end("SIGKILL");
    servers[index] = await start();
    killed?.(kill + 1, count());
  }
  await pause(LAST_MS);
  load.abort();
  await Promise.all(partners);

  const lost: string[] = [];
  const twice: string[] = [];
  const unsettled: string[] = [];
  const unbalanced: string[] = [];
  const outcomes: [key: string, status: string][] = [];
  for (const token of tokens) {
    if (!(await advance(token, "PT2H"))) wrong.push(`the clock of ${token} was not advanced`);
    const payouts = await payoutsOf(any(), token);
    const byKey = Map.groupBy(payouts, ({ externalId }) => externalId);
    for (const [key, { length }] of byKey) if (length > 1) twice.push(key);
    for (const [key, id] of acknowledged.get(token)!) if (byKey.get(key)?.[0]?.id !== id) lost.push(key);
    if (new Set(payouts.map(({ id }) => id)).size !== payouts.length) twice.push(`an id of ${token}`);
    for (const { externalId, status } of payouts) {
      outcomes.push([externalId, status]);
      const isFinal = status === "CANCELED" || (status === "PAID" && !canceled.has(externalId));
      if (!isFinal) unsettled.push(`${externalId}: ${status}`);
    }
    const ledger = await ask(any(), "GET", "/sandbox/ledger", { token });
    if (ledger.body["balanced"] !== true) unbalanced.push(token);
  }
  const untold = (): string[] =>
    outcomes.flatMap(([key, status]) =>
      receiver.events.get(key)?.has(`ORDER-PAYOUT.${status}`) === true ? [] : [`${key}: ${status}`],
    );
  for (const until = performance.now() + WEBHOOKS_MAX_MS; untold().length > 0 && performance.now() < until;)
    await pause(50);
  await Promise.all(servers.map((server) => server.end("SIGKILL")));
  const told = { payouts: count(), cancellations: canceled.size };
  return { kills, ...told, wrong, lost, twice, unsettled, untold: untold(), unbalanced };
}
