import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";

/**
 * The image as users run it, with Docker or Podman: `npm run test:containers`. It builds the image, or takes the one
 * that `SANDBANK_IMAGE` names; `SANDBANK_ENGINE` names the engine. No part of `npm test`: it takes an engine, and
 * minutes.
 */
const isThere = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;
const engine = process.env["SANDBANK_ENGINE"] ?? (isThere("docker") ? "docker" : "podman");
const image = process.env["SANDBANK_IMAGE"] ?? "sandbank:test";
/** What this run makes has this in its name, and is removed at its end. */
const run = `sandbank-${randomBytes(3).toString("hex")}`;
const made: (readonly string[])[] = [];

/** Runs the engine to its end, and gives what it printed. Fails the test where it fails. */
function engineDoes(...words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(engine, words, { encoding: "utf8", timeout: 900_000 });
  assert.equal(status, 0, `${engine} ${words.join(" ")}: ${stderr}${stdout}`);
  return stdout.trim();
}

/** Starts a container that is removed at the end. */
function start(name: string, ...words: readonly string[]): string {
  made.push(["rm", "--force", name]);
  engineDoes("run", "--detach", "--name", name, ...words);
  return name;
}

type Call = (path: string, init?: RequestInit) => Promise<Record<string, string>>;

/** Calls a container at the port that it publishes. */
function publishedBy(name: string): Call {
  const [address = ""] = engineDoes("port", name, "4010").split("\n");
  const url = `http://${address.replace(/0\.0\.0\.0|\[::\]/, "127.0.0.1")}`;
  return async (path, init) => {
    const answer = await fetch(url + path, init);
    assert.ok(answer.ok, `${path}: ${answer.status} ${await answer.clone().text()}`);
    return (await answer.json()) as Record<string, string>;
  };
}

const FETCH = `fetch(process.argv[1], JSON.parse(process.argv[2])).then(async (answer) => {
  console.log(await answer.text());
  process.exitCode = answer.ok ? 0 : 1;
});`;

/** Calls a container from within, for one that publishes nothing. */
function within(name: string): Call {
  return (path, init = {}) => {
    const words = [FETCH, `http://127.0.0.1:4010${path}`, JSON.stringify(init)];
    const answered = Promise.resolve().then(() => engineDoes("exec", name, "node", "-e", ...words));
    return answered.then((text) => JSON.parse(text) as Record<string, string>);
  };
}

/** Tries until it succeeds, for a minute at most. */
async function eventually<T>(attempt: () => T | Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries === 240) throw error;
      await pause(250);
    }
  }
}

const ready = (call: Call) => eventually(() => call("/sandbox/ready"));

function post(body: object, headers: Readonly<Record<string, string>> = {}): RequestInit {
  const sent = { authorization: "Bearer acme-token", ...headers };
  return { method: "POST", headers: sent, body: JSON.stringify(body) };
}

/** Pays out money, and lets a minute pass. */
async function payOut(call: Call): Promise<string> {
  const body = {
    externalId: "payout-1",
    accountId: "11111111-1111-4111-8111-111111111111",
    paymentMethod: "PIX",
    paymentData: { pixKey: "ok@pix.example" },
    amount: { currency: "BRL", value: "10.00" },
    description: "A first payout",
  };
  const { id = "" } = await call(
    "/order/v1/banking/order-payouts",
    post(body, { "idempotency-key": "payout-1" }),
  );
  await call("/sandbox/clock/advance", post({ by: "PT1M" }));
  return id;
}

const statusOf = async (call: Call, id: string): Promise<string | undefined> =>
  (await call(`/sandbox/resources/payouts/${id}`))["status"];

before(() => {
  if (process.env["SANDBANK_IMAGE"] === undefined) engineDoes("build", "--tag", image, ".");
});

after(() => {
  for (const words of made.toReversed()) spawnSync(engine, words);
});

test("a container publishes its port, runs as no root, and a volume keeps its world after a kill", async () => {
  const volume = `${run}-data`;
  made.push(["volume", "rm", "--force", volume]);
  engineDoes("volume", "create", volume);
  const flags = ["--publish", "127.0.0.1::4010", "--volume", `${volume}:/data`];
  const keeps = ["--env", "SANDBANK_DATA=/data/sandbank.json"];
  const begin = (name: string): string => start(name, ...flags, ...keeps, image, "serve", "--frozen");
  const first = begin(`${run}-1`);
  await ready(publishedBy(first));
  assert.notEqual(engineDoes("exec", first, "id", "-u"), "0");
  engineDoes("exec", first, "node", "/app/dist/cli/main.js", "health");
  const payout = await payOut(publishedBy(first));
  engineDoes("kill", first);
  const second = begin(`${run}-2`);
  await ready(publishedBy(second));
  assert.equal(await statusOf(publishedBy(second), payout), "PAID");
  engineDoes("stop", second);
  assert.equal(engineDoes("inspect", "--format", "{{.State.ExitCode}}", second), "0");
});

interface Service {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly extra_hosts?: readonly string[];
}

test("the services of examples/compose.yaml run next to each other, and the webhooks arrive", async () => {
  const network = `${run}-compose`;
  made.push(["network", "rm", network]);
  engineDoes("network", "create", network);
  const { services } = parse(readFileSync("examples/compose.yaml", "utf8")) as {
    readonly services: Readonly<Record<string, Service>>;
  };
  // As compose does it, which not every engine has.
  for (const [name, service] of Object.entries(services)) {
    const { environment = {}, volumes = [], extra_hosts: hosts = [], command = [] } = service;
    const flags = [
      ...Object.entries(environment).map(([variable, value]) => ["--env", `${variable}=${value}`]),
      ...volumes.map((volume) => ["--volume", `${run}-${volume}`]),
      // Podman names the host by itself, and older ones do not know this word.
      ...hosts.filter(() => engine !== "podman").map((host) => ["--add-host", host]),
      ...(service.image === undefined ? [["--publish", "127.0.0.1::4010"]] : []),
    ].flat();
    for (const volume of volumes) made.push(["volume", "rm", "--force", `${run}-${volume.split(":", 1)[0]}`]);
    const words = [...flags, service.image ?? image, ...command];
    start(`${run}-${name}`, "--network", network, "--network-alias", name, ...words);
  }
  const call = publishedBy(`${run}-sandbank`);
  await ready(call);
  await call("/sandbox/clock", { ...post({ mode: "frozen" }), method: "PUT" });
  await payOut(call);
  await eventually(() =>
    assert.match(engineDoes("logs", `${run}-receiver`), /sha256=\w{64}.*ORDER-PAYOUT.PAID/),
  );
});

/** The name of an image of PostgreSQL: that of the examples, or a stand-in where it cannot be pulled, which stays for the next run. */
function postgresImage(): string {
  const name = "sandbank-test-postgres";
  if (spawnSync(engine, ["image", "inspect", name]).status === 0) return name;
  const wanted = "docker.io/library/postgres:17-alpine";
  if (spawnSync(engine, ["pull", wanted], { timeout: 120_000 }).status === 0) return wanted;
  engineDoes("build", "--tag", name, "--file", "test/containers/postgres.Dockerfile", "test/containers");
  return name;
}

test(
  "the manifests of Kubernetes run by podman kube play, on a database next to them",
  { skip: engine === "podman" ? false : "it takes podman" },
  async () => {
    const network = `${run}-kube`;
    made.push(["network", "rm", "--force", network]);
    engineDoes("network", "create", network);
    const database = ["--env", "POSTGRES_USER=sandbank", "--env", "POSTGRES_PASSWORD=sandbank"];
    const alias = ["--network", network, "--network-alias", "database"];
    start(`${run}-database`, ...alias, ...database, postgresImage());
    const url = "postgres://sandbank:sandbank@database:5432/sandbank";
    // What kube play, or an older one, does not know: secrets, addresses of pods, and more than one server.
    const stands: Readonly<Record<string, string>> = {
      "image: sandbank:latest": `image: ${image}`,
      "valueFrom: { secretKeyRef: { name: sandbank, key: data } }": `value: ${url}`,
      "valueFrom: { fieldRef: { fieldPath: status.podIP } }": "value: 127.0.0.1",
      "http://$(POD_IP):4010": "http://127.0.0.1:4010",
      "replicas: 3": "replicas: 1",
    };
    const manifest = Object.entries(stands).reduce(
      (text, [written, standIn]) => {
        assert.ok(text.includes(written), `the manifest has no ${written}`);
        return text.replace(written, () => standIn);
      },
      readFileSync("examples/shared/kubernetes/sandbank.yaml", "utf8"),
    );
    const file = join(mkdtempSync(join(tmpdir(), "sandbank-kube-")), "sandbank.yaml");
    writeFileSync(file, manifest);
    made.push(["kube", "down", file]);
    engineDoes("kube", "play", "--network", network, file);
    // Podman numbers the pods of a Deployment, or makes only one.
    const names = engineDoes("ps", "--format", "{{.Names}}").split("\n");
    const call = within(
      names.find((name) => /^sandbank-pod(-0)?-sandbank$/.test(name)) ?? "sandbank-pod-sandbank",
    );
    await ready(call);
    assert.equal(await statusOf(call, await payOut(call)), "PAID");
  },
);

test("the example for Testcontainers passes", () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-testcontainers-"));
  cpSync(resolve("examples/testcontainers/node"), folder, { recursive: true });
  const options = { cwd: folder, encoding: "utf8", env: { ...process.env, SANDBANK_IMAGE: image } } as const;
  const installed = spawnSync("npm", ["install", "--no-audit", "--no-fund"], options);
  assert.equal(installed.status, 0, installed.stderr);
  const tested = spawnSync(process.execPath, ["--test"], options);
  assert.equal(tested.status, 0, tested.stdout + tested.stderr);
});
