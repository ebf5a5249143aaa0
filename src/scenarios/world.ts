import { type PlayedWorld, RECEIVER_URL } from "../server/access/played-world.ts";
import type { OpenSandbox } from "../server/access/open-sandbox.ts";
import type { PartnerProcess } from "../partner/partner-process.ts";
import type { Sandbox } from "../server/access/sandbox-interface.ts";
import { ownHost } from "../server/settings/own-host.ts";
import { reachable } from "../base/own-address.ts";
import type { ScriptedReceiver } from "./receiver.ts";
import type { SimulationOptions } from "../simulator/engine/simulation.ts";
import { loadFixtures, writtenLists } from "../server/access/fixture-files.ts";
import {
  type Transport,
  signedFor,
  transportTo,
  transportToNetwork,
} from "../server/access/webhook-sending.ts";
import { type Fetch, openProxy, type Proxy } from "../base/proxy.ts";
import { DEFAULT_START, type Scenario } from "./scenario.ts";
import { defined } from "../simulator/engine/json.ts";
import { type ControlClient, controlClient, ControlFailure } from "../server/control/client.js";
import { suggestion } from "../simulator/engine/suggestion.ts";
import { abortedAfter, systemWall, type Wall, within } from "../base/wall.ts";

/** The world of one scenario. It has no other use, and its clock is frozen. */
export interface ScenarioWorld extends AsyncDisposable {
  readonly fetch: Fetch;
  /** The access token of each company, by its name. The first is used if a step has no `as`. */
  readonly tokens: { readonly [company: string]: string };
  /** The built-in receiver. Undefined if the webhooks go to the user's receiver, because no scenario can script it. */
  readonly receiver: ScriptedReceiver | undefined;
  /** The partner's system, if a program starts it or watches its work. */
  readonly partner?: {
    /** Answers the requests whose URL begins with `partner:`, in this process. */
    readonly client?: (request: Request) => Promise<Response>;
    /** Waits until it can be asked, if some program restarts it. */
    readonly ready?: () => Promise<void>;
    /** Waits until it has done its work, before the next step or the next try of a step. */
    readonly rested?: () => Promise<void>;
    /** Waits until a reading shows the awaited value, or until the time for its work is over. Returns true if it does. */
    readonly until?: (isShown: () => Promise<boolean>) => Promise<boolean>;
    /** Reads its state; default: the probe of the scenario. */
    readonly state?: (() => Promise<unknown>) | undefined;
    /** The ids of its processes, if a program starts it and this machine shows them. */
    readonly pids?: (() => readonly number[]) | undefined;
    /** Sends the same request once more, while the step sends it. Undefined if it is sent once. */
    readonly alsoSent?: (send: () => Promise<unknown>) => Promise<unknown> | undefined;
    /** Called when a request of a step has its answer, with its status. */
    readonly answered?: (status: number | null) => Promise<void>;
  };
  /**
   * Sends webhooks one after another from now on. Each given `look` is called before a webhook leaves. The function it
   * resolves with is called after the answer, with the bodies. Time waits for that function.
   */
  readonly watch?: (look: () => Promise<(bodies: readonly string[]) => Promise<void>>) => void;
  /** Waits until no webhook is in flight, if this needs no request. */
  readonly settled?: () => Promise<void>;
  /** Returns the digest of the world's journal, if the world has one. */
  readonly digest?: () => string | Promise<string>;
  /** Decides if it stays after its scenario. Returns the address of its dashboard if it stays. */
  readonly keep?: (status: "passed" | "failed") => string | undefined;
}

/** Opens a world with the settings of a scenario. Its receiver gets the webhooks. */
export type OpenWorld = (
  options: Partial<
    Pick<Scenario, "name" | "seed" | "start" | "fixtures" | "assumptions" | "webhookUrl" | "origin">
  > & { readonly receiver: ScriptedReceiver },
) => Promise<ScenarioWorld>;

/** Returns the start of a world for a scenario's `start`. Undefined for the current time. */
export function startOfWorld(start: string = DEFAULT_START): string | undefined {
  return start === "now" ? undefined : start;
}

/** Returns the access tokens of companies, by their names. */
export function tokensOf(
  companies: readonly { readonly id: string; readonly token: string }[],
): ScenarioWorld["tokens"] {
  return Object.fromEntries(companies.map(({ id, token }) => [id, token]));
}

/** Sends the webhooks of a world to a receiver until the end. */
export function diverted(
  world: PlayedWorld,
  receiver: ScriptedReceiver,
  as: Parameters<PlayedWorld["divert"]>[1],
): Pick<ScenarioWorld, "tokens" | "receiver" | typeof Symbol.asyncDispose> {
  const restore = world.divert(receiver, as);
  return {
    tokens: tokensOf(world.companies),
    receiver,
    [Symbol.asyncDispose]: async () => {
      await world.settled();
      restore();
    },
  };
}

/**
 * Opens a sandbox in this process for each scenario. The scenario's own receiver gets the webhooks, unless there is
 * a URL for them.
 */
export function localWorlds(
  open: OpenSandbox,
  target: {
    readonly webhookUrl?: string;
    readonly audit?: SimulationOptions["audit"];
    /** The port of the world for the partner's system. */
    readonly port?: number;
    /** The partner's system, which is started for each world. */
    readonly partner?: PartnerProcess;
    /** The secret of the partner's endpoint, in place of those of the fixtures. */
    readonly webhookSecret?: string;
    /** True if the results have the digests of the journals, which take a twentieth of a run; default: true. */
    readonly isDigested?: boolean;
    readonly wall?: Wall;
  } = {},
): OpenWorld {
  return async function openWorld(given) {
    const { receiver, origin, webhookUrl = RECEIVER_URL, start, name: _name, ...options } = given;
    const isScripted = target.webhookUrl === undefined;
    const url = target.webhookUrl ?? webhookUrl;
    const { companies } = loadFixtures(options.fixtures);
    const { port, partner, audit, webhookSecret: secret, wall = systemWall } = target;
    const known = companies.map(({ webhook }) => webhook.secret);
    const own = watchedTransport(signedFor({ secret, known }, transportToNetwork()), wall);
    const { sandbox } = await open({
      ...options,
      mode: "frozen",
      ...defined({ start: startOfWorld(start), webhookUrl: url ?? undefined, audit }),
      transport: isScripted ? transportTo(receiver) : own.transport,
    });
    const opened = partnerSandbox(sandbox, { port, partner, origin, tokens: tokensOf(companies) });
    try {
      await opened.start(
        (found) => new Error(`Failed to listen on port ${port}: ${found}. Choose another port.`),
      );
    } catch (error) {
      await opened.close();
      throw error;
    }
    return {
      ...opened.reached,
      receiver: isScripted ? receiver : undefined,
      ...(!isScripted && { watch: own.watch }),
      ...(partner !== undefined && { partner: { pids: partner.pids } }),
      ...(target.isDigested !== false && { digest: () => sandbox.digest() }),
    };
  };
}

interface PartnerOptions {
  /** The port for the partner's system; default: a free one, if the system wants to know it. */
  readonly port?: number | undefined;
  /** The partner's system, which is started for the sandbox. */
  readonly partner?: PartnerProcess | undefined;
  /** The address that the steps see instead of that of the sandbox. */
  readonly origin?: string | undefined;
  readonly tokens: ScenarioWorld["tokens"];
}

/** A sandbox of this process and the partner's system that uses it. */
export interface PartnerSandbox {
  /** Opens the port, and starts the system. Rejects with the error of the port in the words of `failed`. */
  readonly start: (
    failed: (found: string) => Error,
    until?: (started: Promise<void>) => Promise<unknown>,
  ) => Promise<void>;
  /** The sandbox as the steps of a scenario reach it, without a built-in receiver. */
  readonly reached: ScenarioWorld;
  /** Ends the system, and closes the sandbox. */
  readonly close: () => Promise<void>;
}

export function partnerSandbox(
  sandbox: Sandbox,
  { port, partner, origin = "", tokens }: PartnerOptions,
): PartnerSandbox {
  const close = async (): Promise<void> => {
    await (partner?.end ?? partner?.kill)?.();
    await sandbox.close();
  };
  return {
    async start(failed, until = (started) => started) {
      if (port !== undefined || partner?.listening !== undefined) {
        const { url } = await sandbox
          .listen({ port: port ?? 0, host: ownHost() })
          .catch(({ message }: Error) => {
            throw failed(message);
          });
        partner?.listening?.(reachable(url));
      }
      if (partner !== undefined) await until(partner.start());
    },
    reached: {
      fetch: (path, init) => sandbox.fetch(origin + path, init),
      // A process that follows the clock is waited for as well: the request for that does it.
      ...(partner === undefined && { settled: () => sandbox.settled() }),
      tokens,
      receiver: undefined,
      [Symbol.asyncDispose]: close,
    },
    close,
  };
}

/** A webhook waits no longer for the one before: its handler may wait for this one. */
const ALONE_MS = 1_000;

/** Makes a transport that can be watched. Until then it sends as before. */
function watchedTransport(
  send: Transport,
  wall: Wall,
): {
  readonly transport: Transport;
  readonly watch: NonNullable<ScenarioWorld["watch"]>;
} {
  const looks: Parameters<NonNullable<ScenarioWorld["watch"]>>[0][] = [];
  let last: Promise<unknown> = Promise.resolve();
  const sendAndLook: Transport = async (requests) => {
    const again = [];
    for (const look of looks) again.push(await look());
    const results = await send(requests);
    const bodies = requests.map(({ body }) => Buffer.from(body).toString("utf8"));
    for (const lookAgain of again) await lookAgain(bodies);
    return results;
  };
  return {
    watch: (look) => void looks.push(look),
    transport: (requests) => {
      if (looks.length === 0) return send(requests);
      const earlier = last;
      const before = within(() => earlier, { ms: ALONE_MS, late: undefined, wall });
      const result = before.then(() => sendAndLook(requests));
      last = result.catch(() => undefined);
      return result;
    },
  };
}

interface TargetOptions {
  /** The user's own endpoint, in place of the built-in receiver. */
  readonly webhookUrl?: string;
  readonly adminToken?: string;
  /** The scenarios whose worlds stay on the server; default: none. */
  readonly keep?: "failed" | "all" | "none";
  readonly wall?: Wall;
}

/** The maximum length of a world's name. Names of scenarios may be longer. */
const WORLD_NAME_MAX = 100;

/** Opens a new world for each scenario on a running sandbank. */
export function targetWorlds(
  target: string,
  { webhookUrl, adminToken, keep = "none", wall = systemWall }: TargetOptions = {},
): OpenWorld {
  const client = targetAt(target, adminToken, { wall });
  const { url: base } = client;
  return async function openWorld({ receiver, name, seed, start, fixtures, assumptions }) {
    const server = webhookUrl === undefined ? await listenForWebhooks(receiver) : undefined;
    try {
      const world = await client.ask("POST /sandbox/worlds", {
        mode: "frozen",
        ...defined({
          webhookUrl: webhookUrl ?? (server && `${server.url}/webhooks`),
          name: name?.slice(0, WORLD_NAME_MAX),
        }),
        ...defined({ seed, start: startOfWorld(start), assumptions }),
        ...(fixtures !== undefined && { fixtures: writtenLists(loadFixtures(fixtures)) }),
      });
      let isKept = keep === "all";
      return {
        fetch: targetAt(target, adminToken, { world: world.id, wall }).send,
        tokens: tokensOf(world.companies),
        receiver: server === undefined ? undefined : receiver,
        keep: (status) => {
          isKept ||= keep === status;
          return isKept ? `${base}/?world=${world.id}` : undefined;
        },
        [Symbol.asyncDispose]: async () => {
          // A stopped server has no world to delete, and its scenario has already failed.
          if (!isKept) await client.ask("DELETE /sandbox/worlds/{id}", world).catch(() => undefined);
          await server?.[Symbol.asyncDispose]();
        },
      };
    } catch (error) {
      await server?.[Symbol.asyncDispose]();
      throw error;
    }
  };
}

/** Rejects with a sentence if no sandbank answers at `target`, or if it refuses the admin token. */
export async function reachTarget(
  target: string,
  { adminToken, wall = systemWall }: Pick<TargetOptions, "adminToken" | "wall"> = {},
): Promise<void> {
  await targetAt(target, adminToken, { wall }).worlds();
}

/** Opens a world of a running sandbank, as it is. Closing leaves the world there. Rejects with a sentence. */
export async function openTarget(
  target: string,
  world: string,
  { adminToken, wall = systemWall }: Pick<TargetOptions, "adminToken" | "wall"> = {},
): Promise<ScenarioWorld> {
  const client = targetAt(target, adminToken);
  const all = await client.worlds();
  const found = all.find(({ id }) => id === world);
  if (found === undefined) {
    const ids = all.map(({ id }) => id);
    const advice = suggestion(world, ids);
    throw new ControlFailure(`There is no world "${world}" at ${client.url}. ${advice}`, { status: 404 });
  }
  return {
    fetch: targetAt(target, adminToken, { world, wall }).send,
    tokens: tokensOf(found.companies),
    receiver: undefined,
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Long enough for an `advance` over a year. */
const ANSWER_TIMEOUT_MS = 300_000;

/**
 * Returns a client for the target. With a world, every request names the world, because a request for a token has no
 * token yet that names it.
 */
function targetAt(
  url: string,
  adminToken: string | undefined,
  { world, wall = systemWall }: { readonly world?: string; readonly wall?: Wall } = {},
): ControlClient {
  const patiently = (request: Request): Promise<Response> =>
    abortedAfter((signal) => fetch(request, { signal }), { ms: ANSWER_TIMEOUT_MS, wall });
  return controlClient({ url, adminToken, world, fetch: patiently });
}

/** Opens a port of this machine for the built-in receiver, for a sandbox in another process. */
function listenForWebhooks(receiver: ScriptedReceiver): Promise<Proxy> {
  return openProxy({
    answer: async ({ url = "/", headers, socket }, body, response) => {
      const named = Object.entries(headers).map(([name, value]) => [name, String(value)]);
      const received = { url, headers: Object.fromEntries(named) as Record<string, string> };
      const answer = await receiver.receive({ ...received, body: body.toString("utf8") });
      if (!("error" in answer)) response.writeHead(answer.status, answer.headers).end(answer.body);
      // A timeout is not an answer: the sender's deadline ends the connection.
      else if (answer.error !== "timeout") socket.resetAndDestroy();
    },
    // A request that ends early was not received. It is neither answered nor kept.
    onError: () => {},
  });
}
