import { atFreePort } from "../../at-free-port.ts";
import { expect, test } from "vitest";
import { Machine } from "../../partners/machine.ts";
import { createServer } from "node:http";
import { openSandbox } from "../../../src/library/sandbox.ts";
import { openQuestions, verdictOf } from "../../../src/checks/receiver/report.ts";
import { receiverReport } from "../../../src/checks/receiver/receiver-check.ts";
import { sandbank, withoutProgress } from "../../cli/command.ts";
import { SIGNATURE_HEADER, signatureOf } from "../../../src/simulator/api/signature.ts";
import { text } from "node:stream/consumers";
import { turns } from "../../turns.ts";

const TIMEOUT_MS = 120_000;
const SECRET = "state-secret";

interface Event {
  readonly event: string;
  readonly id: string;
  readonly updatedAt: string;
  readonly amount: number;
  /** The subscription of a charge. */
  readonly parent: string | undefined;
}

/** A partner's system: what it does with an event, and the state it shows, of whatever form. */
interface Books {
  readonly store: (event: Event) => void | Promise<void>;
  readonly show: () => unknown;
  /** Acknowledges before it stores: what came in is stored after its state was read once more. */
  readonly isLate?: boolean;
}

/** A partner's system on its machine. */
type Make = (machine: Machine) => Books;

/** The receiver and the probe of a partner's system, as functions of this process. */
function functionsOf({ store, show, isLate = false }: Books) {
  const acknowledged: Event[] = [];
  return {
    receive: async (request: Request): Promise<Response> => {
      const body = await request.text();
      if (request.headers.get(SIGNATURE_HEADER) !== signatureOf(SECRET, Buffer.from(body)))
        return new Response("", { status: 401 });
      const event = eventIn(body);
      if (event === undefined) return new Response("", { status: 400 });
      if (isLate) acknowledged.push(event);
      else await store(event);
      return Response.json({ returnCode: "OK" });
    },
    probe: async (): Promise<unknown> => {
      const shown: unknown = structuredClone(show());
      for (const event of acknowledged.splice(0)) await store(event);
      return shown;
    },
  };
}

/** Opens a partner's system on a port. */
async function serve(books: Books) {
  const { receive, probe } = functionsOf(books);
  const server = createServer((request, response) => {
    void (async () => {
      if (request.method === "GET") return void response.end(JSON.stringify(await probe()));
      const headers = { [SIGNATURE_HEADER]: String(request.headers[SIGNATURE_HEADER.toLowerCase()]) };
      const body = await text(request);
      const answer = await receive(new Request("http://receiver.example", { method: "POST", headers, body }));
      response.writeHead(answer.status).end(await answer.text());
    })().catch(() => response.destroy());
  });
  const at = await atFreePort(server);
  return { ...at, url: `${at.url}/webhooks`, probe: `${at.url}/state` };
}

type Texts = Readonly<Record<string, string | undefined>>;

function eventIn(body: string): Event | undefined {
  try {
    const { data = {}, ...rest } = JSON.parse(body) as Texts & { readonly data?: Texts };
    const { event = "", id = "", updatedAt, occurredAt = "", subscriptionId }: Texts = { ...rest, ...data };
    return { event, id, updatedAt: updatedAt ?? occurredAt, amount: 10, parent: subscriptionId };
  } catch {
    return undefined;
  }
}

const IDS = ["S13", "I1", "I2", "I3", "I6", "E1", "E2", "E3", "E4", "T6"];

interface Flags {
  readonly capabilities?: readonly string[];
  readonly ignore?: readonly string[];
  readonly "allow-inconclusive"?: boolean;
  /** Undefined for the default. */
  readonly settle?: number;
}

/** Checks a partner's system without real time. */
async function check(make: Make, ids: readonly string[] = IDS, flags: Flags = {}) {
  using machine = new Machine(1, 7);
  const report = await receiverReport({
    openSandbox,
    url: "http://receiver.example/webhooks",
    secret: SECRET,
    seed: 7,
    only: ids,
    wall: machine.wall,
    endpoint: functionsOf(make(machine)),
    ...flags,
  });
  const { checks } = report;
  const found = (id: string) => checks.find((one) => one.id === id);
  return {
    verdict: verdictOf(report),
    open: openQuestions(report),
    having: (verdict: string) => checks.filter((one) => one.verdict === verdict).map(({ id }) => id),
    causeOf: (id: string) => found(id)?.cause ?? "",
    fixOf: (id: string) => found(id)?.fix ?? "",
    familiesOf: (id: string) => found(id)?.families ?? [],
    seconds: machine.wall.now() / 1000,
  };
}

/** Takes an event into a queue before the answer, and works it off a moment later. */
function queued(books: Books, delayMs: number, machine: Machine): Books {
  return {
    store: (event) => void machine.sleep(delayMs).then(() => books.store(event)),
    show: books.show,
  };
}

/** Works off its inbox now and then: all that is there, or one event after another. */
function periodic(
  books: Books,
  { everyMs, isWhole }: { everyMs: number; isWhole: boolean },
  machine: Machine,
): Books {
  const inbox: Event[] = [];
  const work = async (): Promise<void> => {
    while (inbox.length > 0) {
      await machine.sleep(everyMs);
      for (const event of inbox.splice(0, isWhole ? inbox.length : 1)) await books.store(event);
    }
  };
  return {
    ...books,
    store: (event) => {
      if (inbox.push(event) === 1) void work();
    },
  };
}

const keyOf = ({ event, id }: Event): string => `${event} ${id}`;

/** Sums up what each object paid, once. */
function totals({ isCountingEach = false } = {}): Books {
  const seen = new Set<string>();
  const state = { members: 0, total: "0.00" };
  return {
    store: (event) => {
      if (!isCountingEach && seen.has(event.id)) return;
      seen.add(event.id);
      state.members += 1;
      state.total = (Number(state.total) + event.amount).toFixed(2);
    },
    show: () => state,
  };
}

interface Row {
  readonly row: number;
  readonly ref: string;
  readonly seenAt: number;
  status: string;
  at: string;
}

/** Rows with numbers of their own and the time of the wall, the newest first. */
function rows(
  { wall }: Machine,
  { race = false, lastWins = false, log = false, isFor = (_event: string): boolean => true } = {},
): Books {
  const all: Row[] = [];
  const entries: string[] = [];
  let next = 1;
  return {
    store: async (event) => {
      if (log) entries.push(keyOf(event));
      if (!isFor(event.event)) return;
      const found = all.find(({ ref }) => ref === event.id);
      if (race && found === undefined) await turns(40);
      const at = `${event.updatedAt} ${event.event}`;
      if (found === undefined)
        all.unshift({ row: next++, ref: event.id, seenAt: wall.now(), status: event.event, at });
      else if (lastWins || found.at < at) Object.assign(found, { status: event.event, at });
    },
    show: () => ({
      now: wall.date(),
      rows: all.map(({ row, ref, seenAt, status }) => ({ row, ref, seenAt, status })),
      ...(log && { log: entries }),
    }),
  };
}

/** The newest status of each object, under its id. */
function statuses(): Books {
  const known = new Map<string, string>();
  return {
    store: ({ event, id, updatedAt }) => {
      const at = `${updatedAt} ${event}`;
      if ((known.get(id) ?? "") < at) known.set(id, at);
    },
    show: () => Object.fromEntries(known),
  };
}

/** Started once per process, as an uptime is. */
function withUptime(books: Books, { wall }: Machine): Books {
  const begun = wall.now();
  return { ...books, show: () => ({ uptime: Math.floor((wall.now() - begun) / 1000), state: books.show() }) };
}

test.each<readonly [string, Make, Flags]>([
  ["shows totals", () => totals(), {}],
  ["shows rows with numbers and times of its own", (machine) => rows(machine), {}],
  ["shows the newest status of each object", () => statuses(), {}],
  ["shows how long it has been running", (machine) => withUptime(statuses(), machine), {}],
  [
    "shows a log of deliveries that is ignored",
    (machine) => rows(machine, { log: true }),
    { ignore: ["$.log"] },
  ],
  [
    "knows subscriptions alone, and is about nothing else,",
    (machine) => rows(machine, { isFor: (event) => event.startsWith("SUBSCRIPTION") }),
    { capabilities: ["subscriptions"] },
  ],
  [
    "knows orders alone, and is about nothing else,",
    (machine) => rows(machine, { isFor: (event) => event.startsWith("ORDER-PAYIN") }),
    { capabilities: ["orders", "refunds"] },
  ],
])(
  "a good receiver that %s passes",
  async (_, make, flags) => {
    const { verdict, having } = await check(make, [...IDS, "T4"], flags);
    expect(having("fail")).toEqual([]);
    expect(having("inconclusive")).toEqual([]);
    expect(having("warn")).toEqual([]);
    expect(verdict).toBe("passed");
  },
  TIMEOUT_MS,
);

test.each<readonly [string, Parameters<typeof periodic>[1]]>([
  ["its inbox later than it is waited for at first", { everyMs: 60, isWhole: true }],
  ["one event after another", { everyMs: 30, isWhole: false }],
])(
  "a good receiver that works off %s passes",
  async (_, how) => {
    const ids = ["S13", "I1", "I2", "E2"];
    const flags = { capabilities: ["subscriptions", "payouts"] };
    const { verdict, having } = await check((machine) => periodic(statuses(), how, machine), ids, flags);
    expect(having("pass")).toEqual(ids);
    expect(verdict).toBe("passed");
  },
  TIMEOUT_MS,
);

test(
  "a good receiver that handles one event at a time, in three seconds each, passes",
  async () => {
    const ids = ["S8", "I1", "E1"];
    const { having } = await check((machine) => {
      const books = statuses();
      let last = Promise.resolve();
      const handle = async (event: Event): Promise<void> => {
        await machine.sleep(3_000);
        await books.store(event);
      };
      return { ...books, store: (event) => (last = last.then(() => handle(event))) };
    }, ids);
    expect(having("pass")).toEqual(ids);
  },
  TIMEOUT_MS,
);

test(
  "an integration that is about payouts has no order to check, which is said and not held against the receiver",
  async () => {
    const make: Make = (machine) => rows(machine, { isFor: (event) => event.startsWith("ORDER-PAYOUT") });
    const { verdict, having, causeOf } = await check(make, IDS, { capabilities: ["payouts"] });
    expect(having("skipped")).toEqual(["E1", "E2", "E3", "E4", "T6"]);
    expect(causeOf("E1")).toContain("each object has one event");
    expect(verdict).toBe("passed");
  },
  TIMEOUT_MS,
);

test.each<readonly [string, Make, readonly string[], string]>([
  [
    "adds up every delivery",
    () => totals({ isCountingEach: true }),
    ["I1", "I2", "I3"],
    "A second copy of ORDER-PAYIN.PAID changed the state that the probe shows: $.members was ",
  ],
  [
    "looks for the row before it inserts it, with a gap in between",
    (machine) => rows(machine, { race: true }),
    ["I2"],
    "left another state than one copy of each event",
  ],
  [
    "lets the last event win",
    (machine) => rows(machine, { lastWins: true }),
    ["E1", "E2", "E3", "E4"],
    "when its second event came before the first",
  ],
  [
    "has a log of deliveries in its state",
    (machine) => rows(machine, { log: true }),
    ["I1", "I2", "I3"],
    "$.log",
  ],
])(
  "a receiver that %s fails %o",
  async (_, make, failing, cause) => {
    const { verdict, having, causeOf } = await check(make, IDS, { capabilities: ["orders", "refunds"] });
    expect(having("fail")).toEqual(failing);
    expect(causeOf(failing[0] ?? "")).toContain(cause);
    expect(verdict).toBe("failed");
  },
  TIMEOUT_MS,
);

/** Sums up each kind of event once, whatever order they come in; what it knows again is up to the caller. */
function sums(knows: (event: Event, handled: readonly string[]) => boolean): Books {
  const handled: string[] = [];
  const state: Record<string, number> = {};
  return {
    store: (event) => {
      if (knows(event, handled)) return;
      handled.push(keyOf(event));
      state[event.event] = (state[event.event] ?? 0) + event.amount;
    },
    show: () => state,
  };
}

const FAMILIES = ["orders", "subscriptions", "charges", "canceled charges", "payouts"];

// The kinds are one list: a kind that is missing there fails all of these.
test.each([
  ["ORDER-PAYIN.REFUNDED", "orders"],
  ["SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.ACCEPTED", "canceled charges"],
  ["ORDER-PAYOUT.PAID", "payouts"],
])(
  "a receiver that handles every copy of %s again fails for %s alone, and the event is named",
  async (name, failing) => {
    const make = () => sums((event, handled) => event.event !== name && handled.includes(keyOf(event)));
    const { verdict: whole, causeOf, familiesOf } = await check(make, ["I1", "I2", "I3"]);
    for (const id of ["I1", "I2", "I3"]) {
      expect(familiesOf(id).map(({ family, verdict }) => `${family}: ${verdict}`)).toEqual(
        FAMILIES.map((family) => `${family}: ${family === failing ? "fail" : "pass"}`),
      );
      expect(causeOf(id)).toContain(name);
    }
    expect(whole).toBe("failed");
  },
  TIMEOUT_MS,
);

test(
  "a failure is looked at again for one kind of object, within seconds",
  async () => {
    const ids = ["I1", "I3"];
    const right = await check(() => sums((event, handled) => handled.includes(keyOf(event))), ids);
    const wrong = await check(() => sums(() => false), ids);
    expect(wrong.having("fail")).toEqual(ids);
    expect(wrong.familiesOf("I3").map(({ verdict }) => verdict)).toEqual(FAMILIES.map(() => "fail"));
    expect(wrong.seconds - right.seconds).toBeLessThan(12);
  },
  TIMEOUT_MS,
);

test(
  "a receiver that remembers the last event alone has too short a memory",
  async () => {
    const make = () => sums((event, handled) => handled.at(-1) === keyOf(event));
    const { verdict, having, causeOf } = await check(make, ["I1", "I2", "I3"]);
    expect(having("fail")).toEqual(["I1"]);
    expect(causeOf("I1")).toContain("The memory of handled events is too short");
    expect(verdict).toBe("failed");
  },
  TIMEOUT_MS,
);

test(
  "a receiver that remembers the last fifty events has too short a memory",
  async () => {
    const make = () => sums((event, handled) => handled.slice(-50).includes(keyOf(event)));
    const { verdict: whole, having, causeOf, familiesOf } = await check(make, ["I1", "I2", "I3", "I4"]);
    expect(having("fail")).toEqual(["I4"]);
    expect(causeOf("I4")).toContain("The memory of handled events is too short: after 100 other events");
    expect(familiesOf("I4").map(({ verdict }) => verdict)).toEqual(FAMILIES.map(() => "fail"));
    expect(whole).toBe("failed");
  },
  TIMEOUT_MS,
);

test(
  "a balance that a refund brings back to where it was shows a repeated order, and a right one is not at fault",
  async () => {
    const balance = (knows: (event: Event) => boolean): Books => {
      const handled = new Set<string>();
      let total = 0;
      return {
        store: (event) => {
          if (knows(event) && handled.has(keyOf(event))) return;
          handled.add(keyOf(event));
          if (event.event === "ORDER-PAYIN.PAID") total += event.amount;
          if (event.event === "ORDER-PAYIN.REFUNDED") total -= event.amount;
        },
        show: () => ({ total }),
      };
    };
    const only = (knows: (event: Event) => boolean) =>
      check(() => balance(knows), ["I1", "I2", "I3"], { capabilities: ["orders"] });
    const right = await only(() => true);
    expect(right.verdict).toBe("passed");
    const wrong = await only(() => false);
    expect(wrong.having("fail")).toEqual(["I1", "I2", "I3"]);
    expect(wrong.causeOf("I1")).toContain("A second copy of ORDER-PAYIN.PAID");
    const refund = await only(({ event }) => event !== "ORDER-PAYIN.REFUNDED");
    expect(refund.causeOf("I1")).toContain("A second copy of ORDER-PAYIN.REFUNDED");
  },
  TIMEOUT_MS,
);

test.each<readonly [string, Make]>([
  ["stores after its answer", () => ({ ...statuses(), isLate: true })],
  ["works from a queue that it fills before its answer", (machine) => queued(statuses(), 60, machine)],
])(
  "whether a receiver that %s loses what it acknowledged cannot be told while it runs",
  async (_, make) => {
    const { verdict, having, causeOf } = await check(make, IDS, { "allow-inconclusive": true });
    expect(having("fail")).toEqual([]);
    expect(having("warn")).toEqual([]);
    expect(having("skipped")).toContain("T6");
    expect(causeOf("T6")).toContain("Only a kill of the process shows");
    expect(verdict).toBe("passed");
  },
  TIMEOUT_MS,
);

test(
  "what a receiver ignores is not decided, for each kind of object, and it does not pass as a whole",
  async () => {
    const make: Make = (machine) => rows(machine, { isFor: (event) => event === "ORDER-PAYIN.PAID" });
    const { verdict: whole, open, familiesOf, having } = await check(make);
    expect(having("fail")).toEqual([]);
    expect(whole).toBe("not-judged");
    expect(familiesOf("E1").map(({ family, verdict: own }) => `${family}: ${own}`)).toEqual([
      "orders: pass",
      "subscriptions: inconclusive",
      "charges: inconclusive",
      "canceled charges: inconclusive",
      "payouts: inconclusive",
    ]);
    expect(open).toContain(
      "E1, E2, E3 not decided: The probe showed no change after events of subscriptions, charges, canceled charges, payouts. Let the probe show them, or name the parts that your integration uses, such as --capabilities orders,refunds.",
    );
  },
  TIMEOUT_MS,
);

test(
  "a receiver that ignores charges has no verdict for them, although it knows their subscriptions",
  async () => {
    const isFor = (event: string): boolean => !event.startsWith("SUBSCRIPTION.SCHEDULED_PAYMENT");
    const flags = { capabilities: ["subscriptions"] };
    const { verdict: whole, familiesOf } = await check((machine) => rows(machine, { isFor }), IDS, flags);
    for (const id of ["I1", "I2", "E1", "E2"])
      expect(familiesOf(id).map(({ family, verdict }) => `${family}: ${verdict}`)).toEqual([
        "subscriptions: pass",
        "charges: inconclusive",
        "canceled charges: inconclusive",
      ]);
    expect(whole).toBe("not-judged");
  },
  TIMEOUT_MS,
);

test(
  "a receiver that forgets events about unknown objects is told so, and one that lets the last event win is not",
  async () => {
    const known = new Map<string, string>();
    const forgets: Books = {
      store: ({ event, id, updatedAt }) => {
        const isCancellation = event.startsWith("SUBSCRIPTION.CANCELLATION");
        if (isCancellation && !known.has(id)) return;
        const at = `${updatedAt} ${event}`;
        if ((known.get(id) ?? "") < at) known.set(id, at);
      },
      show: () => Object.fromEntries(known),
    };
    const only = (make: Make) => check(make, ["E2"], { capabilities: ["subscriptions"] });
    expect((await only(() => forgets)).fixOf("E2")).toMatch(
      /^An event that came early was acknowledged, then lost/,
    );
    const { fixOf } = await only((machine) => rows(machine, { lastWins: true }));
    expect(fixOf("E2")).toMatch(/^An old event overwrites a newer state/);
  },
  TIMEOUT_MS,
);

test(
  "a receiver that forgets charges of an unknown subscription loses them, and one that keeps them is right",
  async () => {
    const charges = (keeps: boolean) => (): Books => {
      const known = new Map<string, string>();
      const kept: Event[] = [];
      const apply = ({ event, id, updatedAt }: Event): void => {
        const at = `${updatedAt} ${event}`;
        if ((known.get(id) ?? "") < at) known.set(id, at);
      };
      return {
        store: (event) => {
          const { parent } = event;
          if (parent === undefined || known.has(parent)) apply(event);
          else if (keeps) kept.push(event);
          for (const one of kept) if (one.parent === event.id) apply(one);
        },
        show: () => Object.fromEntries(known),
      };
    };
    const only = (keeps: boolean) => check(charges(keeps), ["E1", "E2"], { capabilities: ["subscriptions"] });
    expect((await only(true)).verdict).toBe("passed");
    const { having, causeOf, familiesOf } = await only(false);
    expect(having("fail")).toEqual(["E2"]);
    expect(causeOf("E2")).toMatch(
      /^The events of one charge, when its subscription became known after it, .* An event that came early was acknowledged, then lost\./,
    );
    expect(familiesOf("E2").map(({ family, verdict }) => `${family}: ${verdict}`)).toEqual([
      "subscriptions: pass",
      "charges: fail",
      "canceled charges: fail",
    ]);
  },
  TIMEOUT_MS,
);

test(
  "a row that came too often is named, wherever it is among the others",
  async () => {
    const all: { ref: string; status: string }[] = [];
    const make: Make = () => ({
      store: ({ event, id }) => {
        all.push({ ref: id, status: event });
        all.sort((one, other) => (one.ref < other.ref ? -1 : 1));
      },
      show: () => ({ rows: all }),
    });
    const { causeOf } = await check(make, ["I1"], { capabilities: ["payouts"] });
    expect(causeOf("I1")).toMatch(
      /\$\.rows\[\d+\] was not there after the first delivery and \{"ref":"[^"]+","status":"ORDER-PAYOUT.PAID"\} after the copy\.$/,
    );
  },
  TIMEOUT_MS,
);

test(
  "a receiver that handles orders in any order and charges by their arrival fails for charges",
  async () => {
    const isCharge = ({ event }: Event): boolean => event.startsWith("SUBSCRIPTION.SCHEDULED_PAYMENT");
    const { having, causeOf } = await check((machine) => {
      const [right, wrong] = [rows(machine), rows(machine, { lastWins: true })];
      return {
        store: (event) => (isCharge(event) ? wrong : right).store(event),
        show: () => [right.show(), wrong.show()],
      };
    });
    expect(having("fail")).toEqual(["E1", "E2", "E3", "E4"]);
    expect(causeOf("E1")).toContain("The events of one charge");
  },
  TIMEOUT_MS,
);

test(
  "a balance that loses updates of different objects fails the burst",
  async () => {
    const balance = (isAtomic: boolean) => (): Books => {
      const seen = new Set<string>();
      let total = 0;
      return {
        store: async (event) => {
          if (seen.has(keyOf(event))) return;
          seen.add(keyOf(event));
          const read = total;
          if (!isAtomic) await turns(5);
          total = (isAtomic ? total : read) + event.amount;
        },
        show: () => ({ total }),
      };
    };
    expect((await check(balance(true), [...IDS, "T4"])).having("fail")).toEqual([]);
    const { verdict, having, causeOf } = await check(balance(false), ["T4"]);
    expect(having("fail")).toEqual(["T4"]);
    expect(verdict).toBe("failed");
    expect(causeOf("T4")).toContain(", expected a change of +300");
  },
  TIMEOUT_MS,
);

test(
  "a receiver that acknowledges before it stores and loses every third event fails",
  async () => {
    let count = 0;
    const books = statuses();
    const losing: Books = {
      ...books,
      store: (event) => (++count % 3 === 0 ? undefined : books.store(event)),
    };
    const { verdict, having, causeOf } = await check(() => ({ ...losing, isLate: true }));
    // Nothing else that is missing now and then says anything.
    expect(having("fail")).toEqual(["T6"]);
    expect(causeOf("I1")).toMatch(/ left no trace in the state \(T6\)/);
    expect(causeOf("T6")).toMatch(/^Of 6 acknowledged events, 2 left no trace/);
    expect(verdict).toBe("failed");
  },
  TIMEOUT_MS,
);

test(
  "a required check that cannot be decided is at the top of the report with what would decide it: exit 2",
  async () => {
    await using receiver = await serve(statuses());
    const args = ["receiver", "check", receiver.url, "--secret", SECRET, "--only", "S1,I1,E1"];
    const { code, out, err } = await sandbank(...args);
    expect(code).toBe(2);
    expect(out.split("\n").slice(1, 4)).toEqual([
      "NOT JUDGED: 2 required checks are not decided. Accept this with --allow-inconclusive.",
      expect.stringMatching(/^ {2}\? I1 not decided: .* Name a URL with --probe/) as string,
      expect.stringMatching(/^ {2}\? E1 not decided: /) as string,
    ]);
    expect(err).toContain("I1 not decided");
    const junit = await sandbank(...args, "--reporter", "junit");
    expect(junit.out).toContain('tests="3" failures="0" errors="2"');
    const allowed = await sandbank(...args, "--allow-inconclusive");
    expect(allowed.code).toBe(0);
    expect(withoutProgress(allowed.err)).toBe("");
    expect(allowed.out).not.toContain("NOT JUDGED");
  },
  TIMEOUT_MS,
);

test(
  "a probe that shows nothing of the events, or only what changes by itself, decides nothing",
  async () => {
    let reads = 0;
    // The second one changes by the same between any two reads.
    for (const show of [() => ({ version: 1 }), () => ({ version: 1, reads: ++reads })]) {
      const blind = await check(() => ({ store: () => {}, show }));
      expect(blind.having("inconclusive")).toEqual(IDS);
      expect(blind.verdict).toBe("not-judged");
    }
    await using clock = await serve({ store: () => {}, show: () => ({ now: performance.now() }) });
    const { code, err } = await sandbank("receiver", "check", clock.url, "--probe", clock.probe);
    expect(code).toBe(2);
    expect(err).toContain("no stable value");
  },
  TIMEOUT_MS,
);

test.each([
  [["--ignore", "$.["], "--ignore cannot be read: `$.[` is not a JSONPath"],
  [["--probe", "http://127.0.0.1:9/state"], "Failed to read the probe http://127.0.0.1:9/state: "],
])("with %j nothing is checked: exit 2", async (flags, sentence) => {
  await using receiver = await serve(statuses());
  const { code, out, err } = await sandbank("receiver", "check", receiver.url, "--secret", SECRET, ...flags);
  expect(err).toContain(sentence);
  expect({ code, out }).toEqual({ code: 2, out: "" });
});
