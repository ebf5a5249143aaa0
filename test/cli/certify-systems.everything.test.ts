import type { Certificate } from "../../src/checks/certification/certificate.ts";
import { readFileSync, writeFileSync } from "node:fs";
import { certify, folder } from "./certified.ts";
import { expect, test } from "vitest";
import { SECRET } from "../partners/buggy-receiver.ts";
import { once } from "node:events";
import { spawn } from "node:child_process";
import { freePort } from "../free-port.ts";
import { join, resolve } from "node:path";

const TIMEOUT_MS = 240_000;

/** Each kind of object costs as much again. */
const ABOUT = ["--capabilities", "subscriptions"];

/** A day of the example for partners on ports of this test, and the flags by which sandbank starts the gym itself. */
async function day(out: string, { keeps = true }: { readonly keeps?: boolean } = {}) {
  const [gymPort, port] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${gymPort}`;
  const file = join(out, "day.yaml");
  writeFileSync(
    file,
    readFileSync("examples/partner/day.yaml", "utf8").replaceAll("http://127.0.0.1:4020", url),
  );
  const data = keeps ? `DATA_FILE='${join(out, "gym.data")}' ` : "";
  const program = `'${process.execPath}' '${resolve("examples/partner/main.ts")}'`;
  const command = `PORT=${gymPort} WEBHOOK_SECRET=${SECRET} ${data}${program}`;
  const named = ["--receiver", `${url}/webhooks`, "--probe", `${url}/books`, "--reset", `${url}/reset`];
  return {
    port,
    bankUrl: `http://127.0.0.1:${port}`,
    flags: [...named, ...ABOUT, "--explore", file],
    started: ["--partner", command, "--partner-ready", `${url}/books`],
    command,
  };
}

interface Checked {
  readonly checks: readonly {
    readonly id: string;
    readonly verdict: string;
    readonly cause: { readonly code: string; readonly text: string } | null;
  }[];
}

const keepsAcknowledged = ({ parts }: Certificate) =>
  (parts[0]?.report as Checked | undefined)?.checks.find(({ id }) => id === "T6");

test(
  "a system that sandbank starts is killed, in the checks of its receiver and in explorations",
  { timeout: TIMEOUT_MS },
  async (context) => {
    const out = folder(context);
    const { flags, started } = await day(out);
    const more = ["--depth", "1", "--budget", "16", "--scenarios", out];
    const { code, certificate } = await certify(out, ...flags, ...started, ...more);
    expect(keepsAcknowledged(certificate)).toMatchObject({ verdict: "pass" });
    // The budget ends before each single deviation was tried.
    expect(certificate.parts.map(({ name, verdict }) => [name, verdict])).toEqual([
      ["receiver", "passed"],
      ["explore", "not-judged"],
      ["scenarios", "passed"],
      ["books", "passed"],
    ]);
    expect(certificate.parts[1]?.reasons).toEqual([
      expect.stringContaining("because the budget of 16 schedules was used up"),
    ]);
    const { report } = certificate.parts[1] ?? {};
    const { cells } = report as { cells: { kind: string; result: string }[] };
    expect(cells.filter(({ kind, result }) => kind.startsWith("killed") && result === "ok")).not.toEqual([]);
    expect([code, certificate.repeat.join("\n")]).toEqual([
      2,
      expect.stringMatching(/certify .*--partner 'PORT=/),
    ]);
  },
);

test("one that keeps in memory what it has acknowledged fails", { timeout: TIMEOUT_MS }, async (context) => {
  const out = folder(context);
  const { flags, started } = await day(out, { keeps: false });
  const { code, certificate } = await certify(out, ...flags, ...started, "--depth", "1", "--budget", "14");
  expect(keepsAcknowledged(certificate)).toMatchObject({
    verdict: "fail",
    cause: {
      code: "state-in-memory",
      text: expect.stringMatching(/^The state of your system was only in the memory/) as string,
    },
  });
  const [, explored] = certificate.parts;
  expect([code, explored?.verdict, explored?.reasons.join(" ")]).toEqual([
    1,
    "failed",
    expect.stringMatching(/Your process was killed /),
  ]);
});

test(
  "a system that calls the sandbox is explored within its limits, and not judged where it finds none",
  { timeout: TIMEOUT_MS },
  async (context) => {
    const out = folder(context);
    const { flags, command, port, bankUrl } = await day(out);
    const gym = spawn(command, {
      shell: "/bin/bash",
      env: { ...process.env, BANK_URL: bankUrl },
      detached: true,
    });
    context.onTestFinished(() => void process.kill(-(gym.pid ?? 0)));
    await once(gym.stdout, "data");
    const limits = ["--depth", "1", "--budget", "5", "--time", "PT1M"];
    const reached = await certify(out, ...flags, "--port", String(port), ...limits);
    const [, explored] = reached.certificate.parts;
    expect([explored?.verdict, explored?.summary]).toEqual(["not-judged", "5 schedules tried, 0 diverged."]);
    expect(explored?.report).toMatchObject({ depth: 1, schedules: { tried: 5 } });
    expect(reached.certificate.repeat[0]).toContain(`--port ${port} --depth 1 --budget 5 --time PT1M`);
    // Process kills need --partner: whether it stores first cannot be told.
    expect(keepsAcknowledged(reached.certificate)).toMatchObject({
      verdict: "skipped",
      cause: { text: expect.stringContaining("Only a kill of the process shows") as string },
    });
    const apart = await certify(out, ...flags, ...limits);
    expect([apart.code, apart.certificate.parts[1]?.verdict]).toEqual([2, "not-judged"]);
    expect(apart.err).toMatch(
      /explore \S+ not decided: The baseline, a run without deviations, fails: step 1 /,
    );
  },
);
