import type { RequestEnvironment, RequestHandler } from "../server/environment.ts";
import type { Sandbox } from "../server/access/sandbox-interface.ts";
import type { World } from "../simulator/worlds/world.ts";
import type { OpenedWorlds } from "../server/opened-worlds.ts";
import { localClient } from "../server/control/local-client.ts";
import { journalDigest } from "../simulator/worlds/timeline.ts";
import { LongWork } from "../base/long-work.ts";
import { memory } from "../base/memory.ts";
import { readListenOptions, settings } from "../server/settings/settings.ts";
import { withAccount, worldClient } from "./world-client.ts";
import { accounts } from "../simulator/platform/accounts/account.ts";
import { companiesOf } from "../server/control/worlds.ts";
import { DEFAULT_WORLD } from "../simulator/worlds/worlds.ts";
import type { SandboxParts } from "./parts.ts";

/** Rejects if an answer is an in-process reset (fault: `reset` on the api), as it does in `fetch`. */
function unlessReset(response: Response): Response {
  if (response.type !== "error") return response;
  throw new TypeError("fetch failed", {
    cause: Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }),
  });
}

function activeAccounts({ records }: World): ReadonlySet<string> {
  return new Set(
    Array.from(records.all(accounts)).flatMap(({ id, status }) => (status === "ACTIVE" ? id : [])),
  );
}

/** Returns the request of a path or a URL, as `fetch` reads its arguments. */
function requestOf(input: Parameters<Sandbox["fetch"]>[0], init: RequestInit | undefined): Request {
  if (input instanceof Request) return init === undefined ? input : new Request(input, init);
  const text = String(input);
  const isUrl = /^https?:\/\//.test(text);
  return new Request(isUrl ? text : `http://localhost${text.startsWith("/") ? "" : "/"}${text}`, init);
}

/** Returns the methods of the library, over the default world of this process. */
export function localSandbox(
  answer: RequestHandler,
  opened: OpenedWorlds,
  { options, log, forbiddenPorts, kept, telemetry }: SandboxParts,
  closeScenarios: () => Promise<void>,
): Sandbox {
  const { adminToken, allowedHosts = [], origin } = options;
  const { worlds } = opened;
  const closers: (() => Promise<void>)[] = [closeScenarios];
  // If a store is shared, another server may have it.
  const home = worlds.here(DEFAULT_WORLD);
  const digest = (): string => journalDigest(worlds.default.shown().journal.since(1));
  const reached = origin === undefined ? {} : { origin };
  const calls = new LongWork();
  const fetch: Sandbox["fetch"] = async (input, init) => {
    const response = unlessReset(await answer(requestOf(input, init), { ...reached }));
    // Calls in a loop would keep the event loop from turning: no webhook leaves then, and attempts reach their deadline.
    if (calls.isDue) await calls.nextTurn();
    return response;
  };
  const client = worldClient({
    client: localClient({ fetch }, { adminToken }),
    fetch,
    companies:
      home === undefined ? [] : companiesOf(home).map((one) => withAccount(one, activeAccounts(home))),
    seed: () => worlds.default.settings.seed,
    digest,
    settled: () => worlds.here(DEFAULT_WORLD)?.settled(),
    listen: async (options = {}) => {
      // Tests in process need no port, and the modules for a port are a seventh of the import time.
      const { listen } = await import("../server/listen.ts");
      const { port = 0, host = settings.host.default } = readListenOptions(options);
      // A foreign page does not know the admin token, so with one the sandbox may have any name.
      const names = adminToken === undefined ? { names: [host, ...allowedHosts] } : {};
      const atPort: RequestEnvironment = { log, ...names, ...reached };
      const answerAtPort: RequestHandler = (request, env) => answer(request, Object.assign(env, atPort));
      const server = await listen(answerAtPort, { port, host });
      forbiddenPorts.add(server.port);
      const unwatch = memory.watch();
      closers.push(async () => {
        await server.close();
        unwatch();
      });
      await opened.listens(server.url);
      return { url: server.url };
    },
    close: async () => {
      await opened.leave();
      worlds.closing.abort("shutdown");
      for (const close of closers.splice(0)) await close();
      await opened.close();
      kept.destroy();
      await telemetry?.close();
    },
  });
  return {
    ...client,
    digest: () => client.digest() as string,
  };
}
