import { type RequestListener, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { globSync, readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { once } from "node:events";
import { folderWith } from "./scenario-files.ts";
import { sandbank } from "./command.ts";

/** Sets the title of a terminal, clears it, and turns the direction of the text around. */
const CONTROL = "\u001b]0;pwned\u0007\u001b[2J\u009b2J\u202eabc";

// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    listener(request, response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("replay writes the events and ids of a file without their escape sequences", async () => {
  const receiver = await serving((_, response) => response.end("{}"));
  const text = JSON.stringify({ event: `ORDER-PAYIN.${CONTROL}`, data: { id: CONTROL } });
  const entry = {
    startedDateTime: "2026-11-20T09:00:00.000Z",
    time: 1,
    _direction: "webhook",
    request: { method: "POST", url: receiver, headers: [], postData: { mimeType: "application/json", text } },
    response: { status: 200, headers: [], content: { text: "" } },
  };
  using folder = folderWith({ "a.har": JSON.stringify({ log: { entries: [entry] } }) });
  const { out, err, code } = await sandbank("replay", folder.at("a.har"), "--receiver", receiver);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain("ORDER-PAYIN.\\u001b]0;pwned\\u0007");
  expect(out).not.toMatch(CONTROLS);
  const none = await sandbank("replay", folder.at("a.har"), "--receiver", receiver, "--event", "X.*");
  expect(none.err).toContain("\\u001b");
  expect(none.err).not.toMatch(CONTROLS);
});

test("trigger writes the answer of a receiver without its escape sequences", async () => {
  const receiver = await serving((_, response) => {
    response.writeHead(400, { "content-type": "text/plain" }).end(`first\n  second ${CONTROL}\n`);
  });
  const { out, err } = await sandbank("trigger", "order-payin.paid", "--to", receiver);
  expect(out).toContain("first\n  second \\u001b]0;pwned");
  expect(out + err).not.toMatch(CONTROLS);
});

test("a message of a server that is no sandbox is written without its escape sequences", async () => {
  const target = await serving((_, response) => {
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: "INVALID_REQUEST", message: CONTROL, details: [] }));
  });
  for (const args of [["tail"], ["health"], ["secret", "print"], ["trigger", "order-payin.paid"]]) {
    const { out, err } = await sandbank(...args, "--target", target);
    expect(err).toContain("\\u001b");
    expect(out + err).not.toMatch(CONTROLS);
  }
});

test("no report shows a line of another system that GitHub Actions obeys", async () => {
  const command = "::stop-commands::gone";
  const partner = await serving((_, response) => {
    response.writeHead(500, { "content-type": "text/plain" });
    response.end(`broken\n${command}\n   ${command}\n##[add-mask]x\n`);
  });
  const scenario = `name: It is called\nsteps:\n  - request: GET ${partner}/x\n    expect: { status: 200, body: { a: "${command}" } }\n`;
  using folder = folderWith({ "a.yaml": scenario });
  for (const format of ["pretty", "json", "junit", "markdown", "tap", "github"]) {
    const { out, err, code } = await sandbank("run", folder.at("a.yaml"), "--reporter", format);
    expect([format, code, err]).toEqual([format, 1, err]);
    expect(out).toContain("stop-commands");
    const lines = `${out}\n${err}`.split("\n").filter((line) => !line.startsWith("::error "));
    expect(lines.filter((line) => /^\s*::|##\[/.test(line))).toEqual([]);
  }
});

test("commands write through the functions that escape", () => {
  const raw = /process\.std(?:out|err)\.write\(/;
  const direct = globSync("src/cli/*.ts").filter((file) => raw.test(readFileSync(file, "utf8")));
  // These write coloured reports, whose texts are escaped already, and documents.
  const allowed = ["main", "output", "reports", "standard-streams", "tail"];
  expect(direct.toSorted()).toEqual(allowed.map((name) => `src/cli/${name}.ts`));
});
