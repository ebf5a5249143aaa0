import { atFreePort } from "../at-free-port.ts";
import { type AddressInfo, type Socket, connect } from "node:net";
import { createServer, type IncomingMessage } from "node:http";
import { expect, test, vi } from "vitest";
import { hostname } from "node:os";
import { once } from "node:events";
import { spawn } from "node:child_process";
import { createSandbox } from "../../src/index.ts";
import type { Sandbox } from "../../src/server/access/sandbox-interface.ts";
import type { SandboxOptions } from "../../src/server/settings/sandbox-options.ts";
import { effectNames, effectOf } from "../../src/simulator/platform/faults/effects.ts";
import { controlClient, streamEvents } from "../../src/server/control/client.js";
import { sandbank, startSandbank } from "./command.ts";
import { signatureOf } from "../../src/simulator/api/signature.ts";
import { subscriptionBody } from "../partner.ts";

const ADMIN = "let-me-in";
const LATE = { timeout: 20_000 };

const ANSWERED = {
  status: 200,
  error: null,
  message: "",
  responseHeaders: {},
  responseBody: "",
  responseTruncated: false,
  durationMs: 1,
};

interface Arrived {
  readonly event: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A webhook endpoint that answers the statuses, then 200. Status 0 keeps the request without an answer. */
async function openEndpoint() {
  const statuses: number[] = [];
  const arrived: Arrived[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", () => undefined);
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      arrived.push({ event: (JSON.parse(body) as { event: string }).event, headers: request.headers, body });
      const status = statuses.shift() ?? 200;
      if (status === 0) return;
      response.writeHead(status, { "content-type": "text/plain", "x-from": "endpoint", date: "today" });
      response.end(`body of ${status}`);
    });
  });
  const at = await atFreePort(server);
  return { ...at, url: `${at.url}/hook`, arrived, statuses };
}

const opened = (options: Partial<SandboxOptions> = {}): Promise<Sandbox> =>
  createSandbox({ seed: 7, start: "2026-11-20T09:00:00-03:00", ...options });

/** Starts `sandbank listen` and waits until it is connected. */
async function listening(target: string, ...args: string[]) {
  const listener = startSandbank("listen", "--target", target, ...args);
  await vi.waitFor(() => expect(listener.written.stderr).toContain("Ctrl-C ends it."), LATE);
  return listener;
}

const GLOBEX = { token: "globex-token", accountId: "22222222-2222-4222-8222-222222222222" };

async function subscribe(
  sandbox: Sandbox,
  externalId: string,
  { token, accountId }: { readonly token: string; readonly accountId?: string } = { token: "acme-token" },
): Promise<void> {
  const created = await sandbox.fetch("/order/v1/banking/subscriptions", {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(subscriptionBody({ externalId, ...(accountId !== undefined && { accountId }) })),
  });
  const { id } = (await created.json()) as { id: string };
  await sandbox.fetch("/sandbox/acts/subscription.accept", {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "x-admin-token": ADMIN },
    body: JSON.stringify({ id }),
  });
}

async function attemptsOf(sandbox: Sandbox) {
  const deliveries = await sandbox.deliveries();
  return deliveries.flatMap(({ attempts }) =>
    attempts.map(({ status, error, message, responseHeaders, responseBody }) => ({
      status,
      error,
      message,
      responseHeaders,
      responseBody,
    })),
  );
}

/** Plays webhooks with refusals, a time-out and each fault on the wire. Returns what the journal and the endpoint have. */
async function playedWith(
  endpoint: Pick<Awaited<ReturnType<typeof openEndpoint>>, "url" | "statuses" | "arrived">,
  isListened: boolean,
) {
  const sandbox = await opened({ webhookUrl: endpoint.url, assumptions: { "webhook.timeout": "PT2S" } });
  const listener = isListened
    ? await listening((await sandbox.listen()).url, "--forward", endpoint.url)
    : undefined;
  for (const effect of FAULTS) {
    await sandbox.fault({ on: "webhook", effect: effect as "chunked" });
    await subscribe(sandbox, effect);
    await sandbox.advance("PT0S");
  }
  endpoint.statuses.push(302, 302, 503, 503, 0);
  await subscribe(sandbox, "last");
  await sandbox.advance("P1D");
  const attempts = await attemptsOf(sandbox);
  const { digest } = (await (await sandbox.fetch("/sandbox/digest")).json()) as { digest: string };
  const arrived = endpoint.arrived.splice(0).map(({ headers, body }) => ({ headers, body }));
  await sandbox.close();
  return { seen: { attempts, digest, arrived }, listened: await listener?.ended };
}

const WIRE_EFFECTS = effectNames().filter((name) => effectOf(name).wire !== undefined);
const FAULTS = [...WIRE_EFFECTS, "duplicate-concurrent"] as const;

test("webhooks through a listener make the same journal as without it, with each fault on the wire", async () => {
  await using endpoint = await openEndpoint();
  const without = await playedWith(endpoint, false);
  const through = await playedWith(endpoint, true);
  expect(through.seen).toEqual(without.seen);
  expect(new Set(without.seen.attempts.map(({ error }) => error))).toEqual(
    new Set([null, "non-2xx", "redirect", "timeout", "reset"]),
  );
  const closed = { url: "http://127.0.0.1:1/hook", statuses: [], arrived: [] };
  const errorsOf = async (isListened: boolean) =>
    (await playedWith(closed, isListened)).seen.attempts.map(({ error }) => error);
  expect(new Set(await errorsOf(true))).toContain("refused");
  expect(await errorsOf(true)).toEqual(await errorsOf(false));
  const [{ headers, body } = { headers: {}, body: "" }] = through.seen.arrived;
  expect(headers["x-signature-sha256"]).toBe(signatureOf("acme-webhook-secret", Buffer.from(body)));
  expect(through.listened?.code).toBe(1);
  expect(through.listened?.out.split("\n").length).toBeGreaterThan(FAULTS.length);
  expect(through.listened?.err).toContain("Webhooks go to their URL now.");
});

test("only the events of --events come to the listener, and all others go to their URL", async () => {
  await using endpoint = await openEndpoint();
  await using other = await openEndpoint();
  await using sandbox = await opened({ webhookUrl: other.url });
  const { url } = await sandbox.listen();
  await listening(url, "--forward", endpoint.url, "--events", "SUBSCRIPTION.ACCEPTED");
  await subscribe(sandbox, "first");
  await sandbox.advance("P3D");
  expect(new Set(endpoint.arrived.map(({ event }) => event))).toEqual(new Set(["SUBSCRIPTION.ACCEPTED"]));
  const elsewhere = other.arrived.map(({ event }) => event);
  expect(elsewhere).not.toContain("SUBSCRIPTION.ACCEPTED");
  const wrong = await sandbank("listen", "--target", url, "--forward", endpoint.url, "--events", "X");
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringMatching(/already has a listener|no event "X"/)]);
});

test("all companies of a world have one listener: a second one is refused with the place of the first", async () => {
  await using sandbox = await opened();
  const { url } = await sandbox.listen();
  await listening(url, "--forward", "http://127.0.0.1:3000/hook");
  const second = await sandbank("listen", "--target", url, "--forward", "http://127.0.0.1:3001/hook");
  expect(second.code).toBe(2);
  expect(second.err).toContain(`on ${hostname()}, with --forward http://127.0.0.1:3000/hook.`);
  const made = (await (await sandbox.fetch("/sandbox/worlds", { method: "POST" })).json()) as { id: string };
  await listening(url, "--forward", "http://127.0.0.1:3001/hook", "--world", made.id);
});

test("if the listener goes, its attempt fails with a sentence and later ones go to the URL", async () => {
  await using endpoint = await openEndpoint();
  await using sandbox = await opened({ webhookUrl: endpoint.url });
  const { url } = await sandbox.listen();
  const leaving = new AbortController();
  const about = { id: "listener-1", host: "laptop", forward: "http://127.0.0.1:3000/hook" };
  const { signal } = leaving;
  const stream = await controlClient({ url }).open("GET /sandbox/listener/attempts", about, { signal });
  for await (const { type } of streamEvents(stream.body as never)) {
    if (type === "listening") await subscribe(sandbox, "first");
    if (type === "attempt") break;
  }
  leaving.abort();
  await sandbox.advance("PT0S");
  const [attempt] = await attemptsOf(sandbox);
  expect([attempt?.error, attempt?.message]).toEqual([
    "reset",
    "Failed to deliver: the listener on laptop for http://127.0.0.1:3000/hook went away before it gave the receiver's answer. Start sandbank listen again. Without it, webhooks go to their URL.",
  ]);
  await sandbox.advance("P1D");
  expect(endpoint.arrived.length).toBeGreaterThan(0);
});

test("the token of a company takes its webhooks alone, and the admin token those of all", async () => {
  await using endpoint = await openEndpoint();
  await using other = await openEndpoint();
  await using sandbox = await opened({ webhookUrl: other.url, adminToken: ADMIN });
  const { url } = await sandbox.listen();
  const admin = { "x-admin-token": ADMIN };
  const forward = ["--target", url, "--forward", endpoint.url] as const;
  for (const token of [[], ["--token", "wrong"]]) {
    const refused = await sandbank("listen", ...forward, ...token);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("token")]);
  }
  const made = (await (
    await sandbox.fetch("/sandbox/worlds", { method: "POST", headers: admin })
  ).json()) as { id: string; companies: { token: string }[] };
  const token = made.companies[0]?.token ?? "";
  const anonymous = await sandbox.fetch("/sandbox/listener/attempts?id=listener-1&host=a&forward=b", {
    headers: { "x-sandbox-world": made.id },
  });
  expect(anonymous.status).toBe(401);
  await listening(url, "--forward", endpoint.url, "--token", "globex-token");
  await subscribe(sandbox, "first");
  await vi.waitFor(() => expect(other.arrived.length).toBe(1), LATE);
  expect(endpoint.arrived).toEqual([]);
  await listening(url, "--forward", endpoint.url, "--token", ADMIN, "--world", made.id);
  await subscribe(sandbox, "first", { token });
  await vi.waitFor(() => expect(endpoint.arrived.length).toBe(1), LATE);
});

test("the token of a company reaches neither the listener nor the webhooks of another company", async () => {
  await using other = await openEndpoint();
  await using sandbox = await opened({ webhookUrl: other.url, adminToken: ADMIN });
  const { url } = await sandbox.listen();
  const leaving = new AbortController();
  const about = { id: "listener-1", host: "laptop", forward: "http://127.0.0.1:3000/hook" };
  const acme = controlClient({ url, token: "acme-token" });
  const globex = controlClient({ url, token: "globex-token" });
  const order = { id: about.id, order: 1, results: [ANSWERED] };
  const stream = await acme.open("GET /sandbox/listener/attempts", about, { signal: leaving.signal });
  // A loop would end the stream.
  const events = streamEvents(stream.body as never)[Symbol.asyncIterator]();
  const untilEvent = async (type: string): Promise<void> => {
    for (let one = await events.next(); one.value?.type !== type;) one = await events.next();
  };
  await untilEvent("listening");
  await subscribe(sandbox, "first");
  await untilEvent("attempt");
  await globex.open("GET /sandbox/listener/attempts", about, { signal: leaving.signal });
  expect(await globex.ask("POST /sandbox/listener/results", order)).toEqual({ reported: false });
  for (const path of ["deliveries", "resources/subscriptions", "timeline", "ledger", "requests", "books"]) {
    const headers = { authorization: "Bearer globex-token" };
    expect([path, (await sandbox.fetch(`/sandbox/${path}`, { headers })).status]).toEqual([path, 401]);
  }
  expect(await acme.ask("POST /sandbox/listener/results", order)).toEqual({ reported: true });
  leaving.abort();
});

test("a company has its own listener beside the listener of all companies", async () => {
  await using ofAcme = await openEndpoint();
  await using ofAll = await openEndpoint();
  await using sandbox = await opened({ webhookUrl: "http://127.0.0.1:1/", adminToken: ADMIN });
  const { url } = await sandbox.listen();
  const acme = ["--forward", ofAcme.url, "--token", "acme-token"] as const;
  await listening(url, "--forward", ofAll.url, "--token", ADMIN);
  await listening(url, ...acme, "--events", "SUBSCRIPTION.ACCEPTED");
  const second = await sandbank("listen", "--target", url, ...acme);
  expect(second.code).toBe(2);
  expect(second.err).toContain(
    `This company already has a listener: on ${hostname()}, with --forward ${ofAcme.url}.`,
  );
  await subscribe(sandbox, "first");
  await subscribe(sandbox, "first", GLOBEX);
  await sandbox.advance("P3D");
  expect(ofAcme.arrived.map(({ event }) => event)).toEqual(["SUBSCRIPTION.ACCEPTED"]);
  const others = ofAll.arrived.map(({ event }) => event);
  expect(others.filter((event) => event === "SUBSCRIPTION.ACCEPTED")).toHaveLength(1);
});

test.for(["expired", "removed"])("a listener ends with a sentence if its token is %s", async (end) => {
  await using endpoint = await openEndpoint();
  await using other = await openEndpoint();
  const lifetime = end === "expired" ? { "auth.token-ttl": "PT2S" } : {};
  await using sandbox = await opened({ webhookUrl: other.url, assumptions: lifetime });
  const { url } = await sandbox.listen();
  const issued = await sandbox.fetch("/oauth2/v2.0/token", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "grant_type=client_credentials&client_id=acme&client_secret=acme-secret&scope=api://app-order-prd/.default",
  });
  const { access_token: token } = (await issued.json()) as { access_token: string };
  const headers = { authorization: `Bearer ${token}` };
  const isRefused = async () => (await sandbox.fetch("/order/v1/webhook", { headers })).status === 401;
  const listener = await listening(url, "--forward", endpoint.url, "--token", token);
  if (end === "removed") await sandbox.reset();
  await vi.waitUntil(isRefused, LATE);
  await subscribe(sandbox, "after");
  await sandbox.advance("PT0S");
  const { code, err } = await listener.ended;
  expect(code).toBe(1);
  expect(err).toMatch(/Failed to listen at \S+ .* POST \/oauth2\/v2.0\/token gives another token\./);
  expect(err).toContain("Webhooks go to their URL now. Start sandbank listen with a valid token.");
  expect([endpoint.arrived.length, other.arrived.length]).toEqual([0, 1]);
});

test("a listener takes the webhooks of a sandbox with its own transport", async () => {
  await using endpoint = await openEndpoint();
  let sent = 0;
  const transport: SandboxOptions["transport"] = async (requests) => {
    sent += requests.length;
    return requests.map(() => ANSWERED);
  };
  await using sandbox = await opened({ webhookUrl: "http://127.0.0.1:1/", transport });
  await listening((await sandbox.listen()).url, "--forward", endpoint.url);
  await subscribe(sandbox, "first");
  await sandbox.advance("PT0S");
  expect([endpoint.arrived.length, sent]).toEqual([1, 0]);
});

test("a listener connects through the proxy of the environment", async () => {
  await using sandbox = await opened();
  const { port } = new URL((await sandbox.listen()).url);
  const asked: string[] = [];
  const proxy = createServer();
  proxy.on("connect", (request, socket: Socket) => {
    asked.push(String(request.url));
    const target = connect(Number(port), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(target).pipe(socket);
    });
    for (const one of [socket, target]) one.on("error", () => undefined);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const listener = spawn(
    process.execPath,
    ["src/cli/main.ts", "listen", "--target", "http://sandbox:4010", "--forward", "http://127.0.0.1:1/"],
    {
      env: { ...process.env, HTTP_PROXY: address, http_proxy: address, NO_PROXY: "", no_proxy: "" },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  const [said] = (await once(listener.stderr, "data")) as [Buffer];
  listener.kill();
  proxy.close();
  expect(String(said)).toContain("go to http://127.0.0.1:1/");
  expect(asked).toEqual(["sandbox:4010"]);
});
