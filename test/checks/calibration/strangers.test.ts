import type { HarEntry } from "../../../src/traffic/har.ts";
import { calibrated, storyOf, trafficOf } from "./traffic.ts";
import { expect, test } from "vitest";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sandbank } from "../../cli/command.ts";
import { tmpdir } from "node:os";

const STORY = storyOf(`
- call: issueToken
  body: { grant_type: client_credentials, client_id: acme, client_secret: acme-secret, scope: "api://app-order-prd/.default" }
  as: null
- call: createTransparentOrder
  body: { $use: order.pix }
  key: k-1
  save: order
- act: order.pay
  on: \${order.id}
- call: refundOrder
  body: { $use: refund.whole, orderId: "\${order.id}", amount: "1.00" }
- advance: PT1M`);

const PLATFORM = { "refund.delay": "PT12S", "auth.token-ttl": "PT20M", "order.fee-fixed": 35 };

const folder = mkdtempSync(join(tmpdir(), "sandbank-strangers-"));

async function session(): Promise<HarEntry[]> {
  return (await trafficOf(STORY, PLATFORM)).entries;
}

/** An entry without what only this program writes. */
function plain({ _world, _byHand, _signature, _direction, ...entry }: HarEntry): Omit<HarEntry, "_world"> {
  return entry;
}

/** As a browser writes it: HTTP/2, pseudo headers, its own fields, forms as parameters, no text of some bodies. */
function asBrowser(entry: HarEntry): unknown {
  const { request, response, ...rest } = plain(entry);
  const isForm = request.postData?.mimeType.includes("form") === true;
  const params = Array.from(new URLSearchParams(request.postData?.text), ([name, value]) => ({
    name,
    value,
  }));
  return {
    _initiator: { type: "fetch" },
    _priority: "High",
    connection: "443",
    pageref: "page_1",
    ...rest,
    request: {
      ...request,
      httpVersion: "http/2.0",
      headers: [
        { name: ":authority", value: "api.platform.example" },
        { name: ":method", value: request.method },
        ...request.headers,
      ],
      ...(request.postData !== undefined && {
        postData: isForm ? { mimeType: request.postData.mimeType, params } : request.postData,
      }),
    },
    response: { ...response, httpVersion: "http/2.0", _transferSize: 512, _error: null },
    timings: {
      blocked: 1,
      dns: -1,
      ssl: -1,
      connect: -1,
      send: 0.1,
      wait: 2,
      receive: 0.2,
      _blocked_queueing: 0.5,
    },
  };
}

/** As an intercepting proxy writes it: capitals in names, bodies in base64, times with an offset. */
function asProxy(entry: HarEntry): unknown {
  const { request, response, ...rest } = plain(entry);
  const capital = ({ name, value }: { name: string; value: string }) => ({
    name: name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase()),
    value,
  });
  const local = new Date(Date.parse(rest.startedDateTime) - 3 * 3_600_000)
    .toISOString()
    .replace("Z", "-03:00");
  return {
    ...rest,
    startedDateTime: local,
    serverIPAddress: "192.0.2.7",
    request: { ...request, headers: request.headers.map(capital), comment: "" },
    response: {
      ...response,
      headers: response.headers.map(capital),
      content: {
        ...response.content,
        text: Buffer.from(response.content.text ?? "").toString("base64"),
        encoding: "base64",
      },
    },
  };
}

/** As a gateway that logs writes it: only what it has, newest first. */
function asGateway(entry: HarEntry): unknown {
  const { startedDateTime, request, response } = plain(entry);
  const { method, url, headers, postData } = request;
  const { status, content } = response;
  return {
    startedDateTime,
    time: -1,
    request: { method, url, headers, ...(postData && { postData: { text: postData.text } }) },
    response: { status, headers: response.headers, content: { text: content.text } },
  };
}

function file(name: string, entries: readonly unknown[], mark = ""): string {
  const path = join(folder, name);
  const log = { version: "1.2", creator: { name, version: "1" }, pages: [], entries };
  writeFileSync(path, mark + JSON.stringify({ log }));
  return path;
}

test.each([
  ["a browser", "browser.har", (entries: readonly HarEntry[]) => entries.map(asBrowser), ""],
  ["an intercepting proxy", "proxy.har", (entries: readonly HarEntry[]) => entries.map(asProxy), "\uFEFF"],
  ["a gateway", "gateway.har", (entries: readonly HarEntry[]) => entries.map(asGateway).toReversed(), ""],
])("the file of %s says the same as our own", async (_who, name, written, mark) => {
  const path = file(name, written(await session()), mark);
  const { code, out } = await sandbank("calibrate", path, "--reporter", "json");
  expect(code).toBe(0);
  const report = JSON.parse(out) as ReturnType<typeof calibrated>;
  // Without the note that an act paid the order, nothing else changes: that is no time that is measured.
  expect(report.config.assumptions).toEqual(PLATFORM);
  expect(report.shape).toEqual([]);
  expect(report.counts.unreadable).toBe(0);
});

test("the host of the platform is the one that the platform API is called on most, unless another is named", async () => {
  const entries = await session();
  const elsewhere = entries
    .filter(({ _direction }) => _direction !== "webhook")
    .slice(0, 2)
    .map((entry) => ({
      ...entry,
      request: { ...entry.request, url: entry.request.url.replace("localhost", "staging.platform.example") },
    }));
  const path = file("two-hosts.har", [...elsewhere, ...entries]);
  const most = await sandbank("calibrate", path, "--reporter", "json");
  expect(JSON.parse(most.out)).toMatchObject({ host: "localhost", counts: { calls: 3, otherHosts: 2 } });
  const named = await sandbank("calibrate", path, "--reporter", "json", "--host", "staging.platform.example");
  expect(JSON.parse(named.out)).toMatchObject({ host: "staging.platform.example", counts: { calls: 2 } });
  const wrong = await sandbank("calibrate", path, "--host", "api.example");
  expect(wrong.code).toBe(2);
  expect(wrong.err).toContain("It is called on localhost, staging.platform.example.");
});

test("files that are wrong are all named, with exit code 2", async () => {
  const text = join(folder, "notes.txt");
  writeFileSync(text, "hello");
  const other = file("other.har", [
    {
      startedDateTime: "2026-11-23T12:00:00Z",
      time: 1,
      request: { method: "GET", url: "https://a.example/", headers: [] },
      response: { status: 200, headers: [], content: {} },
    },
  ]);
  const { code, err } = await sandbank("calibrate", text, join(folder, "missing.har"));
  expect(code).toBe(2);
  expect(err.split("\n").filter((line) => line.startsWith("Failed to read"))).toHaveLength(2);
  const none = await sandbank("calibrate", other);
  expect([none.code, none.err]).toEqual([
    2,
    expect.stringContaining("the files contain no call of the platform API (entries: 1)"),
  ]);
  expect((await sandbank("calibrate")).code).toBe(2);
});

test("a file that ends in the middle gives what it has", async () => {
  const path = file("cut.har", await session());
  writeFileSync(path, readFileSync(path, "utf8").slice(0, -40));
  const { code, out } = await sandbank("calibrate", path);
  expect(code).toBe(0);
  expect(out).toMatch(/cut\.har ends in the middle of an entry; its \d complete entries are used\./);
});

test("the config is one that the sandbox takes, and --fail-on decides the exit code", async () => {
  const path = file("platform.har", await session());
  const config = join(folder, "calibrated.yaml");
  const { code, out } = await sandbank("calibrate", path, "--config", config, "--fail-on", "contradicted");
  expect(code).toBe(1);
  expect(out).toMatch(/✗ refund\.delay +assumed PT5S +observed PT12S/);
  expect(out).toContain(`Config: ${config} (3 values).`);
  const shown = await sandbank("config", "--config", config);
  expect(shown.code).toBe(0);
  expect(shown.out).toContain("PT12S");
  const again = file("default.har", (await trafficOf(STORY)).entries);
  expect((await sandbank("calibrate", again, "--fail-on", "contradicted")).code).toBe(0);
});
