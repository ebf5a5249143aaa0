import type { AddressInfo } from "node:net";
import { createServer } from "node:http";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

/** What an event says, as far as these receivers care. */
interface ZooEvent {
  readonly name: string;
  readonly id: string;
  readonly status: string;
  readonly at: string;
}

interface Row {
  status: string;
  at: string;
  count?: number;
}

/** A partner's system with one planted bug, or without one. */
export interface ZooReceiver {
  readonly handle: (event: ZooEvent) => number | Promise<number>;
  readonly state: () => unknown;
}

function rowOf({ status, at }: ZooEvent): Row {
  return { status, at };
}

function keyOf({ name, id, at }: ZooEvent): string {
  return `${name} ${id} ${at}`;
}

/** Handles every event once, in the order of its time, and stores objects that it did not know. */
function goodStore(): { rows: { [id: string]: Row }; handle: (event: ZooEvent) => boolean } {
  const rows: { [id: string]: Row } = {};
  const handled = new Set<string>();
  return {
    rows,
    handle: (event) => {
      if (handled.has(keyOf(event))) return false;
      handled.add(keyOf(event));
      const row = rows[event.id];
      // Of two events of one instant, the later state has the later name.
      if (row === undefined || row.at < event.at || (row.at === event.at && row.status < event.status))
        rows[event.id] = rowOf(event);
      return true;
    },
  };
}

/** The receivers, each as a factory of a new, empty one. */
export const zoo = {
  "is good": () => {
    const { rows, handle } = goodStore();
    return { handle: (event) => (handle(event), 200), state: () => ({ rows: Object.entries(rows) }) };
  },
  "is good and slow": () => {
    const { rows, handle } = goodStore();
    return {
      handle: async (event) => {
        await pause(5);
        handle(event);
        return 200;
      },
      state: () => rows,
    };
  },
  "ignores unknown events": () => {
    const { rows, handle } = goodStore();
    return {
      handle: (event) => {
        if (event.name.startsWith("SUBSCRIPTION.SCHEDULED_PAYMENT.")) handle(event);
        return 200;
      },
      state: () => rows,
    };
  },
  "keeps its answers and a log": () => {
    const { rows, handle } = goodStore();
    const log: string[] = [];
    const answers = new Map<string, number>();
    return {
      handle: (event) => {
        log.push(`${new Date().toISOString()} ${event.name}`);
        const known = answers.get(keyOf(event));
        if (known !== undefined) return known;
        handle(event);
        answers.set(keyOf(event), 200);
        return 200;
      },
      state: () => ({ rows, log }),
    };
  },
  "counts every delivery": () => {
    const counts: { [id: string]: number } = {};
    return {
      handle: ({ id }) => {
        counts[id] = (counts[id] ?? 0) + 1;
        return 200;
      },
      state: () => counts,
    };
  },
  "lets the last arrival win": () => {
    const rows: { [id: string]: Row } = {};
    const handled = new Set<string>();
    return {
      handle: (event) => {
        if (handled.has(keyOf(event))) return 200;
        handled.add(keyOf(event));
        rows[event.id] = rowOf(event);
        return 200;
      },
      state: () => rows,
    };
  },
  "lets a late copy overwrite": () => {
    const rows: { [id: string]: Row } = {};
    const seen = new Set<string>();
    let last = "";
    return {
      handle: (event) => {
        // It remembers only the newest event, so that an older one is new again.
        if (last === keyOf(event)) return 200;
        const isOld = (rows[event.id]?.at ?? "") > event.at;
        if (isOld && !seen.has(keyOf(event))) return 200;
        seen.add(keyOf(event));
        last = keyOf(event);
        rows[event.id] = rowOf(event);
        return 200;
      },
      state: () => rows,
    };
  },
  "tolerates one copy": () => {
    const handled = new Set<string>();
    let payments = 0;
    let copies = 0;
    return {
      handle: (event) => {
        const isCopy = handled.has(keyOf(event));
        handled.add(keyOf(event));
        if (isCopy) copies += 1;
        // Its memory of copies has one place: the next copy is a new event again.
        if (!isCopy || copies === 2) payments += 1;
        return 200;
      },
      state: () => ({ payments }),
    };
  },
  "checks, then inserts": () => {
    const paid: string[] = [];
    return {
      handle: async (event) => {
        if (paid.includes(keyOf(event))) return 200;
        await pause(2);
        paid.push(keyOf(event));
        return 200;
      },
      state: () => ({ payments: paid.length }),
    };
  },
  "reads, then writes": () => {
    let saved: { [name: string]: Row } = {};
    return {
      handle: async (event) => {
        const read = saved;
        await pause(2);
        const name = `${event.id} ${event.name}`;
        saved = { ...read, [name]: rowOf(event) };
        return 200;
      },
      state: () => saved,
    };
  },
  "forgets events of unknown objects": () => {
    const rows: { [id: string]: Row } = {};
    return {
      handle: (event) => {
        const row = rows[event.id];
        if (row === undefined && !event.name.endsWith(".ACCEPTED")) return 200;
        if (row === undefined || row.at < event.at) rows[event.id] = rowOf(event);
        return 200;
      },
      state: () => rows,
    };
  },
  "starts its books with the first arrival": () => {
    const { rows, handle } = goodStore();
    let opening: string | undefined;
    return {
      handle: (event) => {
        opening ??= event.name;
        handle(event);
        return 200;
      },
      state: () => ({ opening, rows: Object.entries(rows) }),
    };
  },
  "numbers its rows by arrival": () => {
    const { rows, handle } = goodStore();
    const numbers = new Map<string, number>();
    return {
      handle: (event) => {
        if (!numbers.has(event.id)) numbers.set(event.id, numbers.size + 1);
        handle(event);
        return 200;
      },
      state: () => ({
        rows: Object.entries(rows).map(([id, row]) => ({ id, number: numbers.get(id), ...row })),
      }),
    };
  },
  "acknowledges before it stores": () => {
    const { rows, handle } = goodStore();
    let count = 0;
    return {
      handle: (event) => {
        count += 1;
        if (count % 3 === 0) return 200;
        handle(event);
        return 200;
      },
      state: () => rows,
    };
  },
  "answers 500 to a copy": () => {
    const { rows, handle } = goodStore();
    return { handle: (event) => (handle(event) ? 200 : 500), state: () => rows };
  },
  "hangs on a copy": () => {
    const { rows, handle } = goodStore();
    return {
      handle: (event) => (handle(event) ? 200 : new Promise<number>(() => undefined)),
      state: () => rows,
    };
  },
} as const satisfies { readonly [name: string]: () => ZooReceiver };

export type ZooName = keyof typeof zoo;

/** A receiver as a handler of this process, which can be emptied. */
export interface ZooHandler {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly state: () => unknown;
  readonly reset: () => void;
}

export function handlerOf(name: ZooName): ZooHandler {
  let receiver: ZooReceiver = zoo[name]();
  return {
    fetch: async (request) =>
      Response.json({}, { status: await receiver.handle(eventOf(await request.text())) }),
    state: () => receiver.state(),
    reset: () => {
      receiver = zoo[name]();
    },
  };
}

function eventOf(text: string): ZooEvent {
  const body = JSON.parse(text) as {
    event: string;
    id?: string;
    status?: string;
    occurredAt?: string;
    updatedAt?: string;
    data?: { id: string; status: string };
  };
  return {
    name: body.event,
    id: body.data?.id ?? body.id ?? "",
    status: `${body.data?.status ?? body.status} ${body.event}`,
    at: body.occurredAt ?? body.updatedAt ?? "",
  };
}

/** A receiver behind a port of this machine: `/webhooks`, `/state`, `/state/{id}` and `/reset`. */
export async function serve(name: ZooName): Promise<AsyncDisposable & { readonly url: string }> {
  const handler = handlerOf(name);
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const [, id] = /^\/state(?:\/(.*))?$/.exec(request.url ?? "") ?? [];
      if (request.url === "/state" || id !== undefined) {
        const state = handler.state() as { readonly [id: string]: unknown };
        response.setHeader("content-type", "application/json");
        return response.end(JSON.stringify(id === undefined ? state : (state[id] ?? null)));
      }
      if (request.url === "/reset") {
        handler.reset();
        return response.end("{}");
      }
      const body = Buffer.concat(chunks).toString();
      const answer = await handler.fetch(new Request("http://receiver.example/", { method: "POST", body }));
      return response.writeHead(answer.status).end(await answer.text());
    })().catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** The life of a subscription, in six events about three objects. */
export const life = {
  name: "The life of a subscription",
  start: "2026-11-20T09:00:00-03:00",
  steps: [
    {
      call: "createSubscription",
      body: { $use: "subscription.monthly", externalId: "gym-${run}" },
      save: "sub",
    },
    { act: "subscription.accept", on: "${sub.id}" },
    {
      call: "createScheduledPayment",
      path: { id: "${sub.id}" },
      body: { $use: "charge.first" },
      save: "charge",
    },
    { advance: "P6D" },
    { act: "subscription.request-cancellation", on: "${sub.id}", with: { reason: "REQUESTED_BY_PAYER" } },
    { advance: "P1D" },
  ],
};
