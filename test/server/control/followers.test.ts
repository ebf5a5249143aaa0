import { expect, test, vi } from "vitest";
import { shapeProblems } from "../../../src/simulator/api/validation.ts";
import { payoutBody } from "../../partner.ts";
import { type ControlClient, streamEvents } from "../../../src/server/control/client.js";
import { localClient } from "../../../src/server/control/local-client.ts";
import type { Transport } from "../../../src/server/access/webhook-sending.ts";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../../src/index.ts";

/** A busy machine may deliver news late. */
const LATE = { timeout: 20_000 };

const START = "2026-11-23T12:00:00.000Z";

/** A follower by hand: it takes its turns as the protocol says, and remembers what it was told. */
class HandFollower {
  readonly heard: string[] = [];
  readonly #client: ControlClient;
  readonly #timers: { at: string; run: () => unknown }[] = [];
  id = "";
  now = "";
  answers = true;
  readonly problems: object[] = [];

  constructor(client: ControlClient) {
    this.#client = client;
  }

  async begin(name: string, limits: object = {}): Promise<this> {
    const { id, now } = await this.#client.ask("POST /sandbox/clock/followers", { name, ...limits });
    this.id = id;
    this.now = now;
    const stream = await this.#client.open("GET /sandbox/clock/followers/{id}/turns", { id });
    void this.#listen(stream);
    return this;
  }

  get next(): string | null {
    return this.#timers.map(({ at }) => at).toSorted()[0] ?? null;
  }

  /** Arms a timer, and reports it where it is not the turn of this follower. */
  async arm(at: string, run: () => unknown = () => undefined): Promise<void> {
    this.#timers.push({ at, run });
    await this.#client.ask("PUT /sandbox/clock/followers/{id}", { id: this.id, next: this.next });
  }

  /** Says that a follower waits for nothing. */
  async report(id: string): Promise<void> {
    await this.#client.ask("PUT /sandbox/clock/followers/{id}", { id, next: null });
  }

  async #listen(stream: Response): Promise<void> {
    for await (const { type, data } of streamEvents(stream.body as never)) {
      if (data === undefined) continue;
      const news = JSON.parse(data) as { now: string; turn: number; mode: string };
      this.heard.push(type === "turn" ? `turn ${news.now}` : `${news.mode} ${news.now}`);
      this.now = news.now;
      if (type !== "turn" || !this.answers) continue;
      const due = this.#timers.filter(({ at }) => at <= news.now);
      for (const timer of due) this.#timers.splice(this.#timers.indexOf(timer), 1);
      for (const { run } of due) await run();
      if (!this.answers) continue;
      const { id, next } = this;
      const ended = { id, turn: String(news.turn), next, ran: due.length };
      const answer = await this.#client.ask("POST /sandbox/clock/followers/{id}/turns/{turn}", ended);
      this.problems.push(...shapeProblems("Follower", answer));
    }
  }
}

async function open(options: SandboxOptions = {}) {
  const sandbox = await createSandbox({ start: START, ...options });
  const client = localClient(sandbox);
  const follower = (name: string, limits?: object) => new HandFollower(client).begin(name, limits);
  return { sandbox, client, follower };
}

/** A webhook that was delivered. */
const ANSWERED = {
  status: 200,
  error: null,
  message: "",
  responseHeaders: {},
  responseBody: "",
  responseTruncated: false,
  durationMs: 0,
};

function payOut(sandbox: Sandbox, key: string): Promise<Response> {
  const headers = {
    authorization: "Bearer acme-token",
    "content-type": "application/json",
    "idempotency-key": key,
  };
  const body = JSON.stringify(payoutBody());
  return sandbox.fetch("/order/v1/banking/order-payouts", { method: "POST", headers, body });
}

test("an advance gives each follower its turn at the instant that it waits for, in the order of time", async () => {
  const opened = await open();
  const { sandbox, follower } = opened;
  const gym = await follower("gym");
  const ran: string[] = [];
  const job = (name: string) => () => void ran.push(`${name} ${gym.now}`);
  await gym.arm("2026-11-24T09:00:00.000Z", job("later"));
  await gym.arm("2026-11-23T13:00:00.000Z", job("sooner"));

  const { to, happened } = await sandbox.advance("P2D");

  expect(ran).toEqual(["sooner 2026-11-23T13:00:00.000Z", "later 2026-11-24T09:00:00.000Z"]);
  expect(to).toBe("2026-11-25T12:00:00.000Z");
  expect(gym.problems).toEqual([]);
  await vi.waitFor(() => expect(gym.now).toBe(to), LATE);
  expect(happened.map(({ at, what, kind }) => [at, what, kind])).toEqual([
    ["2026-11-23T13:00:00.000Z", "gym: 1 timer ran", "turn"],
    ["2026-11-24T09:00:00.000Z", "gym: 1 timer ran", "turn"],
  ]);
});

test("the calls of a turn are answered at its instant, and leave the journal that they leave without a follower", async () => {
  const { sandbox, follower } = await open();
  const gym = await follower("gym");
  await gym.arm("2026-11-23T13:00:00.000Z", () => payOut(sandbox, "one"));
  const { happened } = await sandbox.advance("P1D");
  expect(happened.map(({ at, kind }) => `${at} ${kind}`).slice(0, 2)).toEqual([
    "2026-11-23T13:00:00.000Z turn",
    "2026-11-23T13:00:00.000Z created",
  ]);
  expect(happened.some(({ what, at }) => what.includes("PAID") && at === "2026-11-23T13:00:02.000Z")).toBe(
    true,
  );

  const alone = await createSandbox({ start: START });
  await alone.advance("PT1H");
  await payOut(alone, "one");
  await alone.advance("PT23H");
  expect(sandbox.digest()).toBe(alone.digest());
});

test("followers that wait for one instant have their turns in the order of registration, each after the other", async () => {
  const { sandbox, follower } = await open();
  const order: string[] = [];
  const followers = [await follower("first"), await follower("second"), await follower("third")];
  for (const [index, one] of followers.entries()) {
    const job = async (): Promise<void> => {
      order.push(`begin ${index}`);
      await payOut(sandbox, `key-${index}`);
      order.push(`end ${index}`);
    };
    await one.arm("2026-11-23T13:00:00.000Z", job);
  }
  await sandbox.advance("PT2H");
  expect(order).toEqual(["begin 0", "end 0", "begin 1", "end 1", "begin 2", "end 2"]);
});

test("a timer that is armed in a turn for the same instant runs before time moves on", async () => {
  const { sandbox, follower } = await open();
  const gym = await follower("gym");
  const at = "2026-11-23T13:00:00.000Z";
  const ran: string[] = [];
  await gym.arm(at, async () => {
    ran.push("first");
    await gym.arm(at, () => void ran.push(`second at ${gym.now}`));
  });
  await payOut(sandbox, "one");
  await sandbox.advance("PT2H");
  expect(ran).toEqual(["first", `second at ${at}`]);
});

test("until next and the list of what is due count the timers of followers", async () => {
  const { sandbox, client, follower } = await open();
  const gym = await follower("gym");
  await gym.arm("2026-11-23T13:00:00.000Z");
  const { data, total } = await client.ask("GET /sandbox/clock/due", {});
  expect(total).toBe(data.length);
  expect(data[0]).toEqual({
    at: "2026-11-23T13:00:00.000Z",
    timer: "follower",
    objectId: null,
    collection: null,
    armedBy: null,
    kind: "follower",
    name: "gym",
  });
  expect((await sandbox.advance({ until: "next" })).to).toBe("2026-11-23T13:00:00.000Z");
  expect((await client.ask("GET /sandbox/clock/due", {})).data.filter(({ kind }) => kind)).toEqual([]);
});

test("fifty followers that say when they are busy hear of an advance once; others hear each instant with webhooks", async () => {
  const transport: Transport = async (requests) => requests.map(() => ANSWERED);
  const { sandbox, follower } = await open({ transport, webhookUrl: "http://gym.example/webhooks" });
  const idle = await Promise.all(
    Array.from({ length: 50 }, (_, count) => follower(`idle ${count}`, { eachInstant: false })),
  );
  const dated = await follower("date");
  for (const { id } of idle) await idle[0]?.report(id);
  await dated.report(dated.id);
  for (let second = 0; second < 20; second++) {
    await payOut(sandbox, `key-${second}`);
    await sandbox.advance("PT0.1S");
  }
  const { from, to } = await sandbox.advance("P1D");
  const heardOf = ({ heard }: HandFollower): string[] => heard.filter((news) => news > `frozen ${from}`);
  await vi.waitFor(() => expect(heardOf(dated).length).toBeGreaterThan(10), LATE);
  await vi.waitFor(() => expect(idle.map(heardOf)).toEqual(idle.map(() => [`frozen ${to}`])), LATE);
});

test("until idle ends when nothing of the platform is due, though a follower has a job every night", async () => {
  const { sandbox, follower } = await open();
  const gym = await follower("gym");
  const nights: string[] = [];
  const night = async (): Promise<void> => {
    nights.push(gym.now);
    await gym.arm(new Date(Date.parse(gym.now) + 86_400_000).toISOString(), night);
  };
  await gym.arm("2026-11-23T12:00:01.000Z", night);
  await payOut(sandbox, "one");
  const { to, stoppedBy } = await sandbox.advance({ until: "idle" });
  expect([nights, to, stoppedBy]).toEqual([
    ["2026-11-23T12:00:01.000Z"],
    "2026-11-23T12:00:02.000Z",
    undefined,
  ]);
});

test("a world has at most so many followers, and takes another when one leaves", async () => {
  const { client } = await open();
  const register = (name: string) => client.ask("POST /sandbox/clock/followers", { name });
  for (let count = 1; count <= 64; count++) await register(`follower ${count}`);
  await expect(register("one more")).rejects.toMatchObject({
    status: 400,
    message: "At most 64 programs follow the clock of a world. Stop some first.",
  });
  await client.ask("DELETE /sandbox/clock/followers/{id}", { id: "f7" });
  expect((await register("one more")).id).toBe("f65");
});

test("a follower that takes too long stops the advance, its late report is refused, and the next advance goes on", async () => {
  const { sandbox, client, follower } = await open({ clockTurnTimeout: "PT0.1S" });
  const gym = await follower("gym");
  const ran: string[] = [];
  await gym.arm("2026-11-23T13:00:00.000Z", () => void ran.push(gym.now));
  gym.answers = false;
  const stopped = await sandbox.advance("P1D");
  expect(stopped).toMatchObject({
    to: "2026-11-23T13:00:00.000Z",
    stoppedBy: "follower",
    follower: { id: "f1", name: "gym", at: "2026-11-23T13:00:00.000Z" },
  });
  const late = { id: "f1", turn: "1", next: null };
  await expect(client.ask("POST /sandbox/clock/followers/{id}/turns/{turn}", late)).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining("The next advance gives it another one") as string,
  });
  gym.answers = true;
  const { to, stoppedBy } = await sandbox.advance({ to: "2026-11-24T12:00:00.000Z" });
  expect([to, stoppedBy]).toEqual(["2026-11-24T12:00:00.000Z", undefined]);
  expect(ran).toEqual(["2026-11-23T13:00:00.000Z"]);
});

test("a follower may have limits of its own", async () => {
  const { sandbox, follower } = await open();
  const gym = await follower("gym", { turnTimeout: "PT0.1S" });
  await gym.arm("2026-11-23T13:00:00.000Z");
  gym.answers = false;
  expect((await sandbox.advance("P1D")).stoppedBy).toBe("follower");
});

test("a follower without a stream is removed after its lease, and the log says so", async () => {
  const removed = Promise.withResolvers<string>();
  const nothing = (): void => undefined;
  const log = {
    debug: nothing,
    info: nothing,
    error: nothing,
    warn: (_: object, line: string) => removed.resolve(line),
  };
  const { sandbox, client } = await open({ log, clockLease: "PT0.1S" });
  const { id } = await client.ask("POST /sandbox/clock/followers", { name: "gym" });
  await client.ask("PUT /sandbox/clock/followers/{id}", { id, next: "2026-11-23T13:00:00Z" });
  expect(await removed.promise).toBe('The follower "gym" of the clock was silent and is removed.');
  await expect(client.ask("PUT /sandbox/clock/followers/{id}", { id })).rejects.toThrow(
    'There is no follower "f1" of this world. Register with POST /sandbox/clock/followers.',
  );
  expect((await sandbox.advance("P1D")).stoppedBy).toBeUndefined();
});

test("a follower that leaves in its turn ends it", async () => {
  const { sandbox, client, follower } = await open();
  const gym = await follower("gym");
  await gym.arm("2026-11-23T13:00:00.000Z", async () => {
    await client.ask("DELETE /sandbox/clock/followers/{id}", { id: gym.id });
    gym.answers = false;
  });
  const { to, stoppedBy } = await sandbox.advance("P1D");
  expect([to, stoppedBy]).toEqual(["2026-11-24T12:00:00.000Z", undefined]);
});

test("a follower that says that it is busy is waited for before time moves on", async () => {
  const { sandbox, client, follower } = await open();
  const gym = await follower("gym");
  await gym.arm("2026-11-23T14:00:00.000Z");
  await client.ask("PUT /sandbox/clock/followers/{id}", { id: gym.id, busy: true });
  expect((await client.ask("GET /sandbox/clock/followers")).awaited).toBe("f1");
  const advance = sandbox.advance("PT1H");
  await payOut(sandbox, "while busy");
  await client.ask("PUT /sandbox/clock/followers/{id}", { id: gym.id, busy: false });
  await advance;
  const { data } = await client.ask("GET /sandbox/timeline", {});
  expect(data.find(({ kind, entry }) => kind === "created" && entry > 1)?.at).toBe(START);
});

test("followers are notified of a reset and of a clock that runs", async () => {
  const { sandbox, client, follower } = await open();
  const gym = await follower("gym");
  await sandbox.advance("P1D");
  await sandbox.reset();
  await client.ask("PUT /sandbox/clock", { mode: "running" });
  await sandbox.advance("P1D");
  const expected = [
    `frozen ${START}`,
    `turn ${START}`,
    "frozen 2026-11-24T12:00:00.000Z",
    `frozen ${START}`,
    `running ${START}`,
    expect.stringMatching(/^running 2026-11-24T12:00:0/) as string,
  ];
  await vi.waitFor(
    () => expect(gym.heard.filter((news, index) => news !== gym.heard[index - 1])).toEqual(expected),
    LATE,
  );
});

test("the list of followers says who waits for what, and which turns there were", async () => {
  const { sandbox, client, follower } = await open();
  const gym = await follower("gym");
  await gym.arm("2026-11-23T13:00:00.000Z");
  await gym.arm("2026-12-24T13:00:00.000Z");
  await sandbox.advance("P1D");
  expect(await client.ask("GET /sandbox/clock/followers")).toEqual({
    data: [
      {
        id: "f1",
        name: "gym",
        next: "2026-12-24T13:00:00.000Z",
        state: "idle",
        now: "2026-11-24T12:00:00.000Z",
        mode: "frozen",
      },
    ],
    awaited: null,
    turns: [{ at: "2026-11-23T13:00:00.000Z", follower: "gym", ran: 1, entry: 1 }],
  });
});
