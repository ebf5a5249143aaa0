import { createServer } from "node:http";
import { flushCompileCache } from "node:module";
import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import type { Design } from "./choices.ts";
import { emptyDatabase, payer as payerOf } from "./payer.ts";
import { here } from "./place.ts";

/**
 * A payer as a process of its own. It finds the sandbox in `SANDBANK_URL`. Its arguments are its port, the file of its
 * data, its design as JSON and one more bug. It reminds of each order a day later, by a timer.
 *
 * - `forgets reminders`: the timers are only in memory.
 * - `stamps by the database`: the time of a reminder is the time of a file.
 * - `ends with a copy`: the process ends if a webhook comes again.
 */
const [, , port = "", file = "", design = "{}", bug = "none"] = process.argv;
const DAY_MS = 86_400_000;

interface Reminder {
  readonly orderedAt: string;
  remindedAt: string | null;
}

const data = { ...emptyDatabase(), reminders: {} as Record<string, Reminder> };
try {
  Object.assign(data, JSON.parse(readFileSync(file, "utf8")));
} catch {
  // It is the first start.
}

// A file that is written in place is empty for a moment, and a kill may come then.
function store(): void {
  writeFileSync(`${file}.new`, JSON.stringify(data));
  renameSync(`${file}.new`, file);
}

let isStoring = false;

/** Stores what changes in one turn at once, as a transaction does, and before anything is sent. */
function storeSoon(): void {
  if (isStoring) return;
  isStoring = true;
  queueMicrotask(() => {
    isStoring = false;
    store();
  });
}

/** An object that is stored when it changes. */
function stored<Value extends object>(value: Value): Value {
  return new Proxy(value, {
    get: (target, key) => {
      const inner: unknown = Reflect.get(target, key);
      return typeof inner === "object" && inner !== null ? stored(inner) : inner;
    },
    set: (target, key, inner) => {
      Reflect.set(target, key, inner);
      storeSoon();
      return true;
    },
  });
}

const database = stored(data);
const payer = payerOf(JSON.parse(design) as Design, here, database);
const sandbox = {
  fetch: ((path, init) => fetch(`${process.env["SANDBANK_URL"]}${path as string}`, init)) as typeof fetch,
};

function remindOf(order: string): void {
  const reminder = database.reminders[order];
  if (reminder === undefined || reminder.remindedAt !== null) return;
  const remind = (): void => {
    // What a file has is real time, as what a database sets.
    const at = bug === "stamps by the database" ? statSync(file).mtime : new Date();
    reminder.remindedAt = at.toISOString();
  };
  setTimeout(remind, Math.max(2, Date.parse(reminder.orderedAt) + DAY_MS - Date.now()));
}
if (bug !== "forgets reminders") for (const order of Object.keys(data.reminders)) remindOf(order);

async function answer(path: string, request: Request): Promise<Response> {
  if (path === "/webhooks") {
    const { event, id } = (await request.clone().json()) as { event: string; id: string };
    if (bug === "ends with a copy" && data.handled.includes(`${event} ${id}`)) {
      process.stderr.write("it is a copy\n");
      process.exit(3);
    }
    return payer.receive(request);
  }
  if (path === "/ready") return new Response("{}");
  if (path === "/reset") payer.reset();
  const { reminders, ...state } = data;
  if (path === "/reset" || path === "/state") return Response.json(state);
  if (request.method === "GET") return Response.json(reminders[path.slice(1)] ?? {});
  if (path === "/orders") {
    const { order } = (await request.clone().json()) as { order: string };
    if (reminders[order] === undefined) {
      database.reminders[order] = { orderedAt: new Date().toISOString(), remindedAt: null };
      remindOf(order);
    }
  }
  return payer.client(request, sandbox);
}

const server = createServer((incoming, outgoing) => {
  void (async () => {
    const { method = "GET", url: path = "/" } = incoming;
    const body = await text(incoming);
    const request = new Request(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(method !== "GET" && { body }),
    });
    const response = await answer(path, request);
    const headers = { "content-type": "application/json" };
    outgoing.writeHead(response.status, headers).end(await response.text());
  })().catch(() => outgoing.writeHead(503).end());
});
server.listen(Number(port), "127.0.0.1");
process.stdout.write(`listens on ${port}\n`);
// One that is killed stores nothing at its end, and each start would compile it again: twice the time of a start.
flushCompileCache();
