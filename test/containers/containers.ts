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

/** The address at which a container publishes its port. */
function addressOf(name: string): string {
  const [address = ""] = engineDoes("port", name, "4010").split("\n");
  return `http://${address.replace("0.0.0.0", "127.0.0.1")}`;
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

async function call(url: string, path: string, init: RequestInit = {}): Promise<Record<string, string>> {
  const answer = await fetch(url + path, init);
  assert.ok(answer.ok, `${path}: ${answer.status} ${await answer.clone().text()}`);
  return (await answer.json()) as Record<string, string>;
}

const ready = (url: string) => eventually(() => call(url, "/sandbox/ready"));

function post(body: object, headers: Readonly<Record<string, string>> = {}): RequestInit {
  const sent = { authorization: "Bearer acme-token", ...headers };
  return { method: "POST", headers: sent, body: JSON.stringify(body) };
}

/** Pays out money, and lets a minute pass. */
async function payOut(url: string): Promise<string> {
  const body = {
    externalId: "payout-1",
    accountId: "11111111-1111-4111-8111-111111111111",
    paymentMethod: "PIX",
    paymentData: { pixKey: "ok@pix.example" },
    amount: { currency: "BRL", value: "10.00" },
    description: "A first payout",
  };
  const { id = "" } = await call(
    url,
    "/order/v1/banking/order-payouts",
    post(body, { "idempotency-key": "payout-1" }),
  );
  await call(url, "/sandbox/clock/advance", post({ by: "PT1M" }));
  return id;
}

const statusOf = async (url: string, id: string): Promise<string | undefined> =>
  (await call(url, `/sandbox/resources/payouts/${id}`))["status"];

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
  await ready(addressOf(first));
  assert.notEqual(engineDoes("exec", first, "id", "-u"), "0");
  engineDoes("exec", first, "node", "/app/dist/cli/main.js", "health");
  const payout = await payOut(addressOf(first));
  engineDoes("kill", first);
  const second = begin(`${run}-2`);
  await ready(addressOf(second));
  assert.equal(await statusOf(addressOf(second), payout), "PAID");
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
      ...hosts.map((host) => ["--add-host", host]),
      ...(service.image === undefined ? [["--publish", "127.0.0.1::4010"]] : []),
    ].flat();
    for (const volume of volumes) made.push(["volume", "rm", "--force", `${run}-${volume.split(":", 1)[0]}`]);
    const words = [...flags, service.image ?? image, ...command];
    start(`${run}-${name}`, "--network", network, "--network-alias", name, ...words);
  }
  const url = addressOf(`${run}-sandbank`);
  await ready(url);
  await call(url, "/sandbox/clock", { ...post({ mode: "frozen" }), method: "PUT" });
  await payOut(url);
  await eventually(() =>
    assert.match(engineDoes("logs", `${run}-receiver`), /sha256=\w{64}.*ORDER-PAYOUT.PAID/),
  );
});

/** The name of an image of PostgreSQL: that of the examples, or a stand-in where it cannot be pulled. */
function postgresImage(): string {
  const wanted = "docker.io/library/postgres:17-alpine";
  if (spawnSync(engine, ["pull", wanted], { timeout: 300_000 }).status === 0) return wanted;
  const name = `${run}-postgres`;
  made.push(["rmi", "--force", name]);
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
    const data = Buffer.from("postgres://sandbank:sandbank@database:5432/sandbank").toString("base64");
    const secret = `apiVersion: v1\nkind: Secret\nmetadata: { name: sandbank }\ndata: { data: ${data} }\n---\n`;
    const manifest = readFileSync("examples/shared/kubernetes/sandbank.yaml", "utf8");
    const file = join(mkdtempSync(join(tmpdir(), "sandbank-kube-")), "sandbank.yaml");
    writeFileSync(file, secret + manifest.replace("image: sandbank:latest", `image: ${image}`));
    made.push(["kube", "down", file]);
    engineDoes("kube", "play", "--network", network, "--publish", "127.0.0.1:4519:4010", file);
    const url = "http://127.0.0.1:4519";
    await ready(url);
    assert.equal(await statusOf(url, await payOut(url)), "PAID");
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
