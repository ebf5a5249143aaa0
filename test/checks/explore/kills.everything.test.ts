import { expect, test } from "vitest";
import { connect } from "node:net";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { freePort } from "../../free-port.ts";
import { join, resolve } from "node:path";
import { type Finished, sandbank, sandbankProcess } from "../../cli/command.ts";
import { tmpdir } from "node:os";
import type { ExploreResult } from "../../../src/checks/explore/exploration.ts";
import { partnerCommand } from "../../../src/partner/partner-command.ts";
import type { Design } from "../../partners/choices.ts";
import { payerScenarios } from "../../partners/scenarios.ts";
import { plantedBug, rightPayers } from "./planted-payers.ts";
import { nameOf } from "../../../src/checks/explore/deviations.ts";

const TIMEOUT_MS = 240_000;

/** The folder and the port of one system. The tests wait most of their time, so they run side by side. */
interface Place {
  readonly folder: string;
  readonly port: number;
}

/** Runs a test with a place of its own. */
function withPlace(run: (place: Place) => Promise<void>): () => Promise<void> {
  return async function runInPlace() {
    const folder = await mkdtemp(join(tmpdir(), "sandbank-kills-"));
    try {
      await run({ folder, port: await freePort() });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

/** Explores a partner's system of this design, which the command starts and kills. */
async function explored(
  { folder, port }: Place,
  design: Design,
  more: readonly string[],
  {
    command,
    scenario = "orders",
    settleMs = 20,
    isManaged = false,
    bug = "none",
    run = sandbank,
  }: {
    command?: string;
    scenario?: "orders" | "batch" | "refund";
    settleMs?: number;
    /** True if another program runs the system, and stops it slowly. */
    isManaged?: boolean;
    /** A bug of the program itself. */
    bug?: string;
    run?: (...args: readonly string[]) => Promise<Finished>;
  } = {},
): Promise<Finished> {
  const file = join(folder, "scenario.yaml");
  const base = `http://127.0.0.1:${port}`;
  await writeFile(file, JSON.stringify(payerScenarios(base)[scenario]));
  const program = resolve("test/partners/payer-program.ts");
  const own = `'${process.execPath}' '${program}' ${port} '${join(folder, "data.json")}' '${JSON.stringify(design)}' '${bug}'`;
  const args = ["explore", file, "--receiver", `${base}/webhooks`, "--probe", `${base}/state`];
  const managed = [
    "--partner-start",
    `echo started >> '${folder}/manager.log'; ${own} & echo $! > '${folder}/pid'`,
    "--partner-stop",
    `sleep 0.3; kill -9 $(cat '${folder}/pid')`,
  ];
  const way = isManaged ? managed : ["--partner", command ?? own];
  const started = ["--reset", `${base}/reset`, ...way, "--partner-ready", `${base}/ready`];
  started.push("--settle", String(settleMs), "--depth", "1");
  return run(...args, ...started, ...more);
}

function resultOf({ out }: Finished): ExploreResult {
  return JSON.parse(out) as ExploreResult;
}

async function isListening({ port }: Place): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Two right designs: one trusts its stored key, and the other reads the platform first. Neither polls, so runs are short. */
const [TRUSTS_ITS_KEY, READS_FIRST] = rightPayers as readonly [Design, Design, ...Design[]];

/**
 * A bug for each kind of kill, and one of calls. The tests of calls play all of the bugs in this process. None of these
 * bugs depends on real time: on a busy machine, a call that is sent again at once may come after Retry-After is over.
 */
const BUGS = [
  ["mark before work", "killed-before-answer"],
  ["answer before storing", "killed-after-answer"],
  ["stored after its own answer", "killed-in-call,killed-after-call"],
  ["queue in memory", "killed-in-call"],
  ["old token", "token-expired"],
] as const;

test.concurrent(
  "over sockets, a right system survives every kill and every call that goes wrong, and nothing is left of it",
  withPlace(async (place) => {
    const ran = await explored(place, TRUSTS_ITS_KEY, ["--reporter", "json", "--repeat", "1"]);
    const { verdict, divergences, cells, notTried } = resultOf(ran);
    expect(divergences.map((one) => [nameOf(one.deviations), one.differences])).toEqual([]);
    expect([ran.code, verdict]).toEqual([0, "converges"]);
    const crashes = cells.filter(({ kind }) => kind.startsWith("killed"));
    expect(crashes.map(({ result }) => result)).toEqual(crashes.map(() => "ok"));
    expect(new Set(crashes.map(({ kind }) => kind)).size).toBe(4);
    expect(notTried.join()).not.toMatch(/crashes|calls/);
    expect(await isListening(place)).toBe(false);
  }),
  TIMEOUT_MS,
);

test.concurrent.each(BUGS)(
  "over sockets, the bug of a system (%s) is found by the first schedule and named by its cause",
  (name, kinds) =>
    withPlace(async (place) => {
      const { design, scenario, settleMs, schedule, cause } = plantedBug(name);
      const options = ["--only", kinds, "--reporter", "json", "--repeat", "1", "--budget", "1"];
      const ran = await explored(place, design, options, {
        ...(scenario && { scenario }),
        ...(settleMs && { settleMs }),
      });
      const [first] = resultOf(ran).divergences;
      expect([ran.code, nameOf(first?.deviations ?? []), first?.cause.code]).toEqual([1, schedule, cause]);
    })(),
  TIMEOUT_MS,
);

/** Stores its key before the call, and the id some time after it has answered its own caller. */
const STORES_LATE = `
const [, , port, file] = process.argv;
const fs = require("fs");
const read = () => (fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : {});
const store = (order, id) => fs.writeFileSync(file, JSON.stringify({ ...read(), [order]: id }));
require("http").createServer(async (asked, answer) => {
  let text = "";
  for await (const part of asked) text += part;
  if (asked.url === "/reset") fs.rmSync(file, { force: true });
  if (asked.url !== "/orders") return answer.end(JSON.stringify(read()));
  const { order } = JSON.parse(text);
  if (order.startsWith("second")) return answer.end("{}");
  if (read()[order] === undefined) store(order, null);
  const body = {
    externalId: order, accountId: "11111111-1111-4111-8111-111111111111", paymentMethod: "PIX", description: order,
    paymentData: { pixKey: "ok@pix.example" }, amount: { currency: "BRL", value: "100.00" },
  };
  const headers = { authorization: "Bearer acme-token", "content-type": "application/json", "idempotency-key": order };
  const url = process.env.SANDBANK_URL + "/order/v1/banking/order-payouts";
  const paid = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) }).catch(() => undefined);
  if (paid?.ok !== true) return answer.writeHead(503).end();
  const { id } = await paid.json();
  setTimeout(() => {
    answer.end("{}");
    setTimeout(() => store(order, id), 200);
  }, 100);
}).listen(port, "127.0.0.1");
`;

test.concurrent(
  "an id that is stored after the answer to the caller is lost in between, though its key is stored",
  withPlace(async (place) => {
    const { folder, port } = place;
    const file = join(folder, "late.cjs");
    await writeFile(file, STORES_LATE);
    const command = `'${process.execPath}' '${file}' ${port} '${join(folder, "late.json")}'`;
    const ran = await explored(place, {}, ["--only", "killed-after-call", "--reporter", "json"], {
      command,
      settleMs: 300,
    });
    const { divergences } = resultOf(ran);
    const cause = "not-stored-before-call";
    expect(divergences.map((one) => [nameOf(one.deviations), one.cause.code])).toEqual([
      ["killed-after-call-1", cause],
    ]);
  }),
  TIMEOUT_MS,
);

test.concurrent(
  "a token that was renewed in one run is not refused in the next, so each call is disturbed at its own time",
  withPlace(async (place) => {
    const ran = await explored(place, plantedBug("stored after its own answer").design, [
      "--only",
      "token-expired,killed-in-call",
      "--reporter",
      "json",
    ]);
    expect(resultOf(ran).cells.map(({ kind, result }) => [kind, result])).toEqual([
      ["token-expired", "ok"],
      ["killed-in-call", "diverged"],
      ["token-expired", "ok"],
      ["killed-in-call", "diverged"],
    ]);
  }),
  TIMEOUT_MS,
);

test.concurrent(
  "a system that another program runs survives every kill, and is left as it was found",
  withPlace(async (place) => {
    const ran = await explored(place, READS_FIRST, ["--reporter", "json", "--only", "crashes"], {
      isManaged: true,
    });
    const { verdict, divergences, cells, notes } = resultOf(ran);
    expect(divergences.map((one) => [nameOf(one.deviations), one.differences])).toEqual([]);
    expect([ran.code, verdict, notes]).toEqual([0, "converges", []]);
    const kinds = ["killed-before-answer", "killed-after-answer", "killed-in-call", "killed-after-call"];
    expect(new Set(cells.map(({ kind, result }) => `${kind} ${result}`))).toEqual(
      new Set(kinds.map((kind) => `${kind} ok`)),
    );
    expect(await isListening(place)).toBe(false);
  }),
  TIMEOUT_MS,
);

test.concurrent(
  "a slow kill of another program falls into the work of the system",
  withPlace(async (place) => {
    const more = ["--only", "killed-before-answer", "--reporter", "json"];
    const ran = await explored(place, plantedBug(BUGS[0][0]).design, more, { isManaged: true });
    const { divergences, notes } = resultOf(ran);
    expect({ isFound: divergences.length > 0, notes }).toMatchObject({ isFound: true });
  }),
  TIMEOUT_MS,
);

test.concurrent(
  "a system that does not start shows its last lines, and is exit code 2",
  withPlace(async (place) => {
    const ran = await explored(place, {}, ["--partner-timeout", "PT0.5S"], {
      command: "echo no database; sleep 60",
    });
    expect(ran.code).toBe(2);
    expect(ran.out).toMatch(/did not answer with 2xx within 500 ms .* Its last lines:\n\s*no database/);
    const ended = await explored(place, {}, [], { command: "echo bad flag >&2; exit 3" });
    expect(ended.out).toMatch(/it ended with exit code 3\. Its last lines:\n\s*bad flag/);
  }),
  TIMEOUT_MS,
);

test.concurrent(
  "what answers before the system was started, or after it was killed, is not taken for it",
  withPlace(async (place) => {
    const { folder, port } = place;
    const file = join(folder, "leaves.cjs");
    await writeFile(
      file,
      `require("http").createServer((_, answer) => answer.end("{}")).listen(${port}, "127.0.0.1");
      require("fs").writeFileSync(process.argv[2], String(process.pid));`,
    );
    const leaves = `setsid '${process.execPath}' '${file}' '${join(folder, "pid")}'`;
    const command = partnerCommand({
      command: leaves,
      readyUrl: `http://127.0.0.1:${port}/`,
      timeoutMs: 20_000,
      isFollower: false,
    });
    await command.start();
    await command.kill();
    await expect(command.start()).rejects.toThrow(/still answers after the command was killed\. Let all/);
    const ran = await explored(place, {}, []);
    expect([ran.code, ran.out]).toEqual([
      2,
      expect.stringContaining("/ready answers before the start of your system."),
    ]);
    process.kill(Number(await readFile(join(folder, "pid"), "utf8")));
  }),
  TIMEOUT_MS,
);

test.concurrent(
  "a system that ends by itself is shown with its last lines, and started again for the next schedule",
  withPlace(async (place) => {
    const ran = await explored(place, {}, ["--only", "twice", "--reporter", "json"], {
      bug: "ends with a copy",
    });
    const { notes, cells } = resultOf(ran);
    expect(cells.map(({ result }) => result)).toEqual(["diverged", "diverged"]);
    expect(notes).toEqual([
      expect.stringMatching(
        /^With twice-1 your system no longer runs, .* code 3\. Its last lines:\n.*a copy/s,
      ),
    ]);
  }),
  TIMEOUT_MS,
);

test(
  "an interrupted exploration leaves no process behind",
  withPlace(async (place) => {
    const { folder } = place;
    const running = explored(place, {}, [], { run: sandbankProcess });
    await expect.poll(() => isListening(place)).toBe(true);
    const child = await readFile(`/proc/self/task/${process.pid}/children`, "utf8");
    for (const pid of child.trim().split(" ")) {
      const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      if (command.includes("main.ts") && command.includes(folder)) process.kill(Number(pid), "SIGTERM");
    }
    await running;
    // A killed process gives its port back a moment later.
    await expect.poll(() => isListening(place), { timeout: 5_000 }).toBe(false);
  }),
  TIMEOUT_MS,
);
