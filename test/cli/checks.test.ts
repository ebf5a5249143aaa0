import { afterEach, expect, test, vi } from "vitest";
import { folderWith } from "./scenario-files.ts";
import { sandbank } from "./command.ts";
import { withChecks } from "../../src/cli/checks.ts";

const RECEIVER = "http://127.0.0.1:3000/webhooks";
const CHECKS = `checks:
  receiver: ${RECEIVER}
  probe: http://127.0.0.1:3000/state
  reset: http://127.0.0.1:3000/reset
  port: 4010
  secret: mine
  settle: 50
`;

afterEach(() => void vi.unstubAllEnvs());

async function words(typed: string, text = CHECKS): Promise<string> {
  using folder = folderWith({ "sandbank.config.yaml": text });
  vi.stubEnv("SANDBANK_CONFIG", folder.at("sandbank.config.yaml"));
  return (await withChecks(typed.split(" "))).join(" ");
}

const PROBE = "--probe http://127.0.0.1:3000/state";
const RESET = "--reset http://127.0.0.1:3000/reset";

test("the checks of the configuration file stand for the flags of each command", async () => {
  const check = `${PROBE} --secret mine --settle 50 --sandbox-port 4010`;
  expect(await words("receiver check")).toBe(`receiver check ${RECEIVER} ${check}`);
  expect(await words("receiver check --level should")).toBe(
    `receiver check ${RECEIVER} --level should ${check}`,
  );
  const all = `--receiver ${RECEIVER} ${PROBE} ${RESET} --port 4010 --secret mine --settle 50`;
  expect(await words("certify")).toBe(`certify ${all}`);
  expect(await words("explore day.yaml")).toBe(`explore day.yaml ${all}`);
  const ofRun = `${RESET} --port 4010 --secret mine --settle 50`;
  expect(await words("run day.yaml")).toBe(`run day.yaml --receiver ${RECEIVER} ${ofRun}`);
  expect(await words("run day.yaml --receiver")).toBe(`run day.yaml --receiver ${RECEIVER} ${ofRun}`);
  expect(await words("replay day.har")).toBe(`replay day.har --receiver ${RECEIVER} --secret mine`);
  expect(await words("trigger ORDER-PAYOUT.PAID")).toBe(
    `trigger ORDER-PAYOUT.PAID --to ${RECEIVER} --secret mine`,
  );
  expect(await words("contracts verify-receiver")).toBe(
    `contracts verify-receiver ${RECEIVER} --secret mine`,
  );
});

test("each command that can start the user's system reads how", async () => {
  const partner =
    "checks: { receiver: http://127.0.0.1:1/, partner: node app.js, partner-ready: http://127.0.0.1:1/up }";
  const started = "--partner node app.js --partner-ready http://127.0.0.1:1/up";
  for (const typed of ["receiver check", "certify", "explore a.yaml", "run a.yaml"])
    expect(await words(typed, partner)).toContain(started);
});

test("a typed way to start the user's system replaces the way of the file", async () => {
  const managed =
    "checks: { receiver: http://127.0.0.1:1/, partner-start: up, partner-stop: down, partner-ready: http://127.0.0.1:1/up }";
  const started = "--partner-start up --partner-stop down --partner-ready http://127.0.0.1:1/up";
  expect(await words("receiver check", managed)).toContain(started);
  expect(await words("run a.yaml --partner app", managed)).toBe(
    "run a.yaml --partner app --receiver http://127.0.0.1:1/ --partner-ready http://127.0.0.1:1/up",
  );
});

test("a sandbox that is named has its own address, secret and receiver", async () => {
  expect(await words("run a.yaml --receiver --target http://127.0.0.1:1")).toBe(
    `run a.yaml --receiver ${RECEIVER} --target http://127.0.0.1:1 ${RESET} --settle 50`,
  );
  expect(await words("run a.yaml --target http://127.0.0.1:1")).toBe(
    `run a.yaml --target http://127.0.0.1:1 ${RESET} --settle 50`,
  );
  const trigger = "trigger ORDER-PAYOUT.PAID --target http://127.0.0.1:1";
  expect(await words(trigger)).toBe(trigger);
});

test("what is typed, and a variable, override the checks", async () => {
  expect(await words("receiver check http://127.0.0.1:9/ --secret other --probe=http://127.0.0.1:9/s")).toBe(
    "receiver check http://127.0.0.1:9/ --secret other --probe=http://127.0.0.1:9/s --settle 50 --sandbox-port 4010",
  );
  expect(await words("explore day.yaml --reset-command true")).not.toContain("--reset http");
  vi.stubEnv("SANDBANK_WEBHOOK_SECRET", "of-the-variable");
  expect(await words("certify")).not.toContain("--secret");
});

test("other commands are as they are typed", async () => {
  for (const typed of ["serve", "receiver check --help", "tail"]) expect(await words(typed)).toBe(typed);
});

test("a run of files that use the user's system names --receiver", async () => {
  using folder = folderWith({
    "plain.yaml": "name: Nothing\nsteps: [{ advance: PT1M }]\n",
    "probe.yaml": "name: Seen\nprobe: { url: http://127.0.0.1:1/ }\nsteps: [{ advance: PT1M }]\n",
  });
  const err = async (file: string) => (await sandbank("run", folder.at(file))).err;
  expect(await err("plain.yaml")).toBe("");
  expect(await err("probe.yaml")).toContain("--receiver http://127.0.0.1:3000/webhooks");
});

test.each([
  ["checks: { recever: x }", ':1:11: There is no key "recever" in checks. Did you mean receiver?'],
  ["checks: [a]", ":1:1: checks must be a mapping, such as checks: { receiver: URL }."],
  ["checks: { probe: [a] }", ":1:11: checks.probe must be an absolute http or https URL"],
  [
    "checks: { secret: 0123 }",
    ":1:11: checks.secret must be a text, in quotes if it is a number; found 123.",
  ],
  [
    "checks: { settle: 1s, receiver: nowhere, port: abc }",
    ':1:11: checks.settle must be a whole number from 0 to 600000; found "1s".',
  ],
  [
    "checks: { settle: 1s, receiver: nowhere, port: abc }",
    ':1:42: checks.port must be a whole number from 1 to 65535; found "abc".',
  ],
])("%s is refused, by serve too", async (text, sentence) => {
  using folder = folderWith({ "sandbank.config.yaml": text });
  for (const command of ["config", "certify"]) {
    const file = folder.at("sandbank.config.yaml");
    const { code, err } = await sandbank({ env: { SANDBANK_CONFIG: file } }, command);
    expect([code, err]).toEqual([2, expect.stringContaining(sentence)]);
  }
});
