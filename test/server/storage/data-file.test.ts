import type { SandboxOptions } from "../../../src/server/settings/sandbox-options.ts";
import { createSubscription, openPartner } from "../../partner.ts";
import { expect, onTestFinished, test } from "vitest";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  symlinkSync,
} from "node:fs";
import { BEGINNING, nextLine } from "../../../src/server/storage/chained-lines.ts";
import { dirname, join } from "node:path";
import { type Snapshot, SnapshotFile } from "../../../src/server/storage/snapshot-file.ts";
import { SILENCE } from "../../../src/base/log.ts";
import { tmpdir } from "node:os";

function dataPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-data-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "sandbank.json");
}

const open = (data: string, options: SandboxOptions = {}) => openPartner({ data, ...options });

test("all changes are there after a restart, with timers, ids and journal", async () => {
  const data = dataPath();
  let digest: string;
  let first: string;
  {
    await using partner = await open(data);
    const subscription = await createSubscription(partner);
    first = subscription["id"] as string;
    await partner.act("subscription.request-cancellation", { id: first, reason: "REQUESTED_BY_PAYER" });
    await partner.advance("PT0S");
    digest = partner.sandbox.digest();
  }
  await using partner = await open(data, { seed: 99, start: "2030-01-01T00:00:00Z" });
  expect(partner.sandbox.digest()).toBe(digest);
  expect((await partner.ask("GET", "/sandbox/clock")).body).toEqual({
    mode: "frozen",
    now: "2026-11-20T12:00:00.000Z",
  });
  await partner.advance("PT5S");
  const { body } = await partner.ask("GET", `/order/v1/banking/subscriptions/${first}`);
  expect(body["status"]).toBe("CANCELED");

  await using never = await openPartner();
  const same = await createSubscription(never);
  await never.act("subscription.request-cancellation", { id: same["id"], reason: "REQUESTED_BY_PAYER" });
  await never.advance("PT0S");
  await never.advance("PT5S");
  const path = "/order/v1/banking/subscriptions";
  const next = await createSubscription(partner, { externalId: "subscription-2" });
  const nextThere = await createSubscription(never, { externalId: "subscription-2" });
  expect(next["id"], `an id at ${path} goes on with the seed`).toBe(nextThere["id"]);
  expect(partner.sandbox.digest()).toBe(never.sandbox.digest());
});

test("worlds, their names, clocks, tokens and snapshots survive a restart", async () => {
  const data = dataPath();
  let worlds: unknown;
  let token: string;
  {
    await using partner = await open(data);
    await createSubscription(partner);
    await partner.sandbox.snapshot();
    await partner.advance("P1D");
    await partner.sandbox.removeSnapshot((await partner.sandbox.snapshot()).id);
    await partner.ask("POST", "/sandbox/worlds", {
      body: { name: "mine", seed: 3, start: "2027-01-01T00:00:00Z" },
    });
    const fork = await partner.sandbox.fork();
    token = fork["companies"][0].token as string;
    await createSubscription(partner, { externalId: "after the fork", startDate: "2026-11-21" });
    await partner.ask("PUT", "/sandbox/clock", { token, body: { mode: "running" } });
    await partner.ask("DELETE", "/sandbox/worlds/w1");
    worlds = worldsWithoutTime((await partner.ask("GET", "/sandbox/worlds")).body);
  }
  await using partner = await open(data);
  expect(worldsWithoutTime((await partner.ask("GET", "/sandbox/worlds")).body)).toEqual(worlds);
  expect((await partner.ask("GET", "/sandbox/clock", { token })).body["mode"]).toBe("running");
  const subscriptions = await partner.ask("GET", "/sandbox/resources/subscriptions", { token });
  expect(subscriptions.body["data"]).toHaveLength(1);
  const snapshots = (await partner.ask("GET", "/sandbox/snapshots")).body["data"];
  expect(snapshots).toMatchObject([{ id: "s1" }]);
  await partner.sandbox.restore("s1");
  expect((await partner.ask("GET", "/sandbox/resources/subscriptions")).body["data"]).toHaveLength(1);
  const made = await partner.ask("POST", "/sandbox/worlds", { body: {} });
  expect(made.body["id"], "no id is given twice").toBe("w3");
});

test("the next start continues from a reset, and from a restored snapshot", async () => {
  const data = dataPath();
  {
    await using partner = await open(data);
    await createSubscription(partner);
    await partner.sandbox.snapshot();
    await partner.advance("P1D");
    await partner.sandbox.reset();
    await createSubscription(partner, { externalId: "after the reset" });
  }
  {
    await using partner = await open(data);
    const { body } = await partner.ask("GET", "/sandbox/resources/subscriptions");
    expect(body["data"]).toMatchObject([{ externalId: "after the reset" }]);
    await partner.sandbox.restore("s1");
  }
  await using partner = await open(data);
  const { body } = await partner.ask("GET", "/sandbox/resources/subscriptions");
  expect(body["data"]).toMatchObject([{ externalId: "subscription-1" }]);
  expect((await partner.ask("GET", "/sandbox/clock")).body["now"]).toBe("2026-11-20T12:00:00.000Z");
  await partner.sandbox.reset();
  expect((await partner.ask("GET", "/sandbox/resources/subscriptions")).body["data"]).toEqual([]);
});

test("assumptions and a webhook URL of a start replace those that were saved", async () => {
  const data = dataPath();
  await (await open(data, { assumptions: { "cancellation.delay": "PT1M" } }))[Symbol.asyncDispose]();
  await using partner = await open(data, {
    assumptions: { "refund.delay": "PT2M" },
    webhookUrl: "http://other.example/",
  });
  const { body } = await partner.ask("GET", "/sandbox/assumptions");
  const values = new Map(
    (body["data"] as { id: string; value: unknown }[]).map(({ id, value }) => [id, value]),
  );
  expect(values.get("cancellation.delay")).toBe("PT1M");
  expect(values.get("refund.delay")).toBe("PT2M");
});

test("after a crash an incomplete last line is left out, the log says so, and the next one follows the last complete one", async () => {
  const data = dataPath();
  {
    await using partner = await open(data);
    await createSubscription(partner);
    await createSubscription(partner, { externalId: "cut off" });
  }
  const journal = `${data}.1.journal`;
  truncateSync(journal, readFileSync(journal).length - 7);
  rmSync(`${data}.sandbank-end`);
  {
    const warnings: string[] = [];
    const log = { ...SILENCE, warn: (_facts: object, sentence: string) => void warnings.push(sentence) };
    await using partner = await open(data, { log });
    expect(warnings).toEqual([`${journal}: an incomplete last line was left out.`]);
    const { body } = await partner.ask("GET", "/sandbox/resources/subscriptions");
    expect(body["data"]).toMatchObject([{ externalId: "subscription-1" }]);
    await createSubscription(partner, { externalId: "afterwards" });
  }
  await using partner = await open(data);
  const { body } = await partner.ask("GET", "/sandbox/resources/subscriptions");
  expect(body["data"]).toMatchObject([{ externalId: "subscription-1" }, { externalId: "afterwards" }]);
});

function withoutLastLine(path: string): string {
  const text = readFileSync(path, "utf8");
  return text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1);
}

async function written(): Promise<string> {
  const data = dataPath();
  await using partner = await open(data);
  await createSubscription(partner);
  await createSubscription(partner, { externalId: "second" });
  return data;
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

test.each([
  ["a snapshot with a changed byte", (data: string) => flip(data, 20), "damaged"],
  [
    "a snapshot that is something else",
    (data: string) => writeFileSync(data, '{"posts": []}\n'),
    "not a data file of sandbank",
  ],
  ["an empty snapshot", (data: string) => writeFileSync(data, ""), "it is empty"],
  [
    "a snapshot that is incomplete",
    (data: string) => truncateSync(data, readFileSync(data, "utf8").indexOf("\n") + 1),
    "it ends after line",
  ],
  ["a snapshot with something behind it", (data: string) => appendFileSync(data, "x\n"), "damaged"],
  ["a journal with a changed byte", (data: string) => flip(`${data}.1.journal`, 2000), "line 2 is damaged"],
  [
    "a journal with a strange line behind it",
    (data: string) => appendFileSync(`${data}.1.journal`, "x\n"),
    "is damaged",
  ],
  ["a journal that is missing", (data: string) => rmSync(`${data}.1.journal`), "is missing"],
  ["a journal without its snapshot", (data: string) => rmSync(data), "it is missing, but"],
  ["an empty journal", (data: string) => writeFileSync(`${data}.1.journal`, ""), "it is empty"],
  [
    "a journal that lost whole lines after a stop",
    (data: string) => writeFileSync(`${data}.1.journal`, withoutLastLine(`${data}.1.journal`)),
    "when the sandbox was stopped",
  ],
] as const)("%s is refused with a sentence, and nothing is overwritten", async (_what, damage, sentence) => {
  const data = await written();
  damage(data);
  const folder = join(data, "..");
  const before = contents(folder);
  await expect(open(data)).rejects.toThrow(sentence);
  expect(contents(folder)).toEqual(before);
});

test("a journal that has outgrown its snapshot is replaced by a new one, and nothing is lost", async () => {
  const data = dataPath();
  let digest: string;
  {
    await using partner = await open(data);
    await partner.sandbox.snapshot();
    const requests = Array.from({ length: 1_000 }, (_, number) =>
      createSubscription(partner, { externalId: `subscription-${number}` }),
    );
    await Promise.all(requests);
    await createSubscription(partner, { externalId: "the last" });
    digest = partner.sandbox.digest();
  }
  expect(readdirSync(join(data, "..")).sort()).toEqual([
    "sandbank.json",
    "sandbank.json.2.journal",
    "sandbank.json.lock",
    "sandbank.json.sandbank-end",
  ]);
  await using partner = await open(data);
  expect(partner.sandbox.digest()).toBe(digest);
  await partner.sandbox.restore("s1");
  expect((await partner.ask("GET", "/sandbox/resources/subscriptions")).body["data"]).toEqual([]);
});

test("a file in use by another sandbox is refused, and free after that sandbox is closed", async () => {
  const data = dataPath();
  {
    await using _first = await open(data);
    await expect(open(data)).rejects.toThrow("is using it");
  }
  await using _second = await open(data);
});

test.each([
  ["what an earlier version wrote", (lock: string) => writeFileSync(lock, '{"pid":1,"started":null}')],
  ["null", (lock: string) => writeFileSync(lock, "null")],
  ["a folder", (lock: string) => mkdirSync(lock)],
])("a lock that is %s is refused with a sentence", async (_what, put) => {
  const data = dataPath();
  put(`${data}.lock`);
  await expect(open(data)).rejects.toThrow(`${data}.lock is not a lock of this version. Make sure`);
  rmSync(`${data}.lock`, { recursive: true });
  await using _partner = await open(data);
});

test("a symbolic link names the file that it leads to, before and after that file is there", async () => {
  const data = dataPath();
  const link = `${data}.link`;
  symlinkSync("sandbank.json", link);
  {
    await using partner = await open(link);
    await createSubscription(partner);
    await expect(open(data)).rejects.toThrow("is using it");
  }
  await using partner = await open(data);
  await expect(open(link)).rejects.toThrow("is using it");
  const { body } = await partner.ask("GET", "/sandbox/resources/subscriptions");
  expect(body["data"]).toHaveLength(1);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
});

test.each([1, 4])("a file of format %s is refused, and left as it is", async (format) => {
  const data = await written();
  const head = { sandbank: { format }, generation: 1, made: 0 };
  writeFileSync(data, nextLine(head, BEGINNING).line);
  const before = contents(join(data, ".."));
  await expect(open(data)).rejects.toThrow(`it has format ${format}, and this version reads format 5.`);
  expect(contents(join(data, ".."))).toEqual(before);
});

test("a server whose disk takes no change is not ready until it does again, and is up", async () => {
  const data = dataPath();
  const folder = join(data, "..");
  await using partner = await open(data);
  const { url } = await partner.sandbox.listen();
  const statusOf = async (path: string): Promise<number> => (await fetch(url + path)).status;
  expect(await statusOf("/sandbox/ready")).toBe(200);
  renameSync(folder, `${folder}-away`);
  const refused = await fetch(`${url}/sandbox/ready`);
  expect(refused.status).toBe(503);
  expect(((await refused.json()) as { message: string }).message).toMatch(
    /^No change can be saved: .+ Make room for /,
  );
  expect(await statusOf("/sandbox/health")).toBe(200);
  renameSync(`${folder}-away`, folder);
  expect(await statusOf("/sandbox/ready")).toBe(200);
  expect(readdirSync(folder).sort()).toEqual([
    "sandbank.json",
    "sandbank.json.1.journal",
    "sandbank.json.lock",
  ]);
});

test("a missing folder is reported, and not created", async () => {
  const folder = join(dataPath(), "no", "such");
  await expect(open(join(folder, "data.json"))).rejects.toThrow(
    `the folder ${folder} does not exist. Create it`,
  );
  expect(existsSync(folder)).toBe(false);
});

test.runIf(process.getuid?.() !== 0 && process.platform !== "win32")(
  "a file that may not be written is refused with a sentence",
  async () => {
    const data = await written();
    chmodSync(`${data}.1.journal`, 0o400);
    await expect(open(data)).rejects.toThrow("it may not be read and written.");
  },
);

function contents(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "latin1")]),
  );
}

/** A list of worlds without what differs between two starts. */
function worldsWithoutTime(body: Record<string, unknown>): unknown {
  const differs = (key: string): boolean => key === "now" || key === "server";
  return JSON.parse(JSON.stringify(body, (key, value: unknown) => (differs(key) ? undefined : value)));
}

test.each([
  ["that is a link to itself", (data: string) => data, "ELOOP"],
  ["that is too long", (data: string) => data + "x".repeat(300), "ENAMETOOLONG"],
])("a name %s is refused with a sentence", async (_what, nameFrom, reason) => {
  const data = nameFrom(dataPath());
  if (reason === "ELOOP") symlinkSync(data, data);
  await expect(open(data)).rejects.toThrow(
    new RegExp(`^Failed to open .*: ${reason}: .*\\. Name a file that can be read and written\\.$`),
  );
});

test.each(["sandbank.json.lock", "sandbank.json.2.journal", "sandbank.json.sandbank-new"])(
  "the name %s of a file that belongs to another data file is refused",
  async (name) => {
    await expect(open(join(dataPath(), "..", name))).rejects.toThrow("belongs to another data file");
  },
);

test("a data file deletes no file of others with a similar name", async () => {
  const data = dataPath();
  await (await open(data)).sandbox.close();
  const names = [".new", ".end", ".trial"];
  for (const name of names) writeFileSync(data + name, "of somebody else");
  for (let start = 0; start < 2; start++) await (await open(data)).sandbox.close();
  for (const name of names)
    expect([name, readFileSync(data + name, "utf8")]).toEqual([name, "of somebody else"]);
});

test("each resend of a webhook takes the same space in a data file", async () => {
  const data = dataPath();
  const bytes = (): number =>
    readdirSync(dirname(data)).reduce((sum, name) => sum + statSync(join(dirname(data), name)).size, 0);
  const sizes: number[] = [];
  let digest: string;
  {
    await using partner = await open(data);
    const { id } = await createSubscription(partner);
    await partner.act("subscription.accept", { id });
    await partner.advance("PT0S");
    const [first] = await partner.sandbox.deliveries();
    for (let resends = 0; resends < 60; resends++) {
      if (resends % 20 === 0) sizes.push(bytes());
      await partner.ask("POST", `/sandbox/deliveries/${String(first?.["id"])}/resend`);
    }
    sizes.push(bytes());
    digest = partner.sandbox.digest();
  }
  const added = sizes.slice(1).map((size, index) => size - sizes[index]!);
  expect(added[2]! / added[0]!).toBeLessThan(1.1);
  for (let start = 0; start < 2; start++) {
    await using partner = await open(data);
    expect(partner.sandbox.digest()).toBe(digest);
    expect((await partner.sandbox.deliveries())[0]?.["attempts"]).toHaveLength(61);
  }
});

test("a snapshot keeps each attempt of a webhook once", async () => {
  const path = dataPath();
  const before = { id: "d", status: "scheduled", attempts: [{ number: 1, text: "x".repeat(1_000) }] };
  const entries = [];
  let record = before;
  for (let number = 1; number <= 100; number++) {
    const after = { ...record, attempts: [...record.attempts, { number, text: `${number}`.repeat(500) }] };
    const change = { collection: "webhook-deliveries", id: "d", before: record, after };
    entries.push({
      number,
      at: number,
      cause: { by: "control", name: "resend" },
      timeline: [],
      changes: [change],
    });
    record = after;
  }
  const image = {
    seed: 1,
    now: 100,
    store: new Map([["webhook-deliveries", new Map([["d", record]])]]),
    journal: { dropped: 0, entries, notes: [] },
  };
  const settings = { seed: 1, start: 0, mode: "frozen" as const, assumptions: {}, webhookUrl: null };
  const clock = { mode: "frozen" as const, now: 100, wall: 0 };
  const world = {
    id: "w1",
    name: "w1",
    settings,
    clock,
    image,
    snapshots: new Map(),
    tokenExpiries: new Map(),
  };
  const file = new SnapshotFile(path);
  await file.write({ generation: 1, made: 1, worlds: [world] } as unknown as Snapshot);
  expect(file.bytes).toBeLessThan(200_000);
  const [read] = (await new SnapshotFile(path).read())?.worlds ?? [];
  expect(read?.image).toEqual(image);
});
