import { once } from "node:events";
import { createServer as createHttp } from "node:http";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, type Server, createServer as createTcp } from "node:net";
import { expect, test } from "vitest";
import { createEgress } from "../../../src/simulator/webhooks/egress-guard.ts";
import {
  LOCALHOST_CERTIFICATE as cert,
  LOCALHOST_KEY as key,
  trustLocalhost,
} from "./localhost-certificate.ts";
import { sendWebhook } from "../../../src/simulator/webhooks/wire.ts";

/** Sends a webhook to a server, and returns its error and its message. */
async function sentTo(server: Server, scheme: "http" | "https"): Promise<readonly [string | null, string]> {
  trustLocalhost();
  server.on("tlsClientError", () => {}).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `${scheme}://localhost:${port}/`;
  const request = { url, headers: {}, body: Buffer.from("{}"), deadlineMs: 20_000 };
  const { error, message } = await sendWebhook(request, createEgress());
  server.close();
  return [error, message];
}

const answer = (_: unknown, response: { end: (text?: string) => unknown }): void => void response.end();
const byClient = { key, cert, ca: cert, requestCert: true, rejectUnauthorized: true };

test("https to an http port names the scheme", async () => {
  expect(await sentTo(createHttp(answer), "https")).toEqual([
    "tls",
    "Failed to deliver: localhost answered without TLS, as an http port does. Write http:// in the webhook URL, or name the port for https.",
  ]);
});

test.each([
  ["an alert", "tls", Buffer.from([0x15, 3, 1, 0, 2, 2, 0x46])],
  [
    "a sentence of nginx",
    "non-2xx",
    "HTTP/1.1 400 Bad Request\r\ncontent-length: 54\r\n\r\nThe plain HTTP request was sent to HTTPS port, 123456.",
  ],
  [
    "a sentence of Go",
    "non-2xx",
    "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n",
  ],
])("http to a port for TLS that answers with %s names the scheme", async (_, error, bytes) => {
  const server = createTcp(
    (socket) => void socket.once("data", () => socket.end(bytes)).on("error", () => {}),
  );
  expect(await sentTo(server, "http")).toEqual([
    error,
    "Failed to deliver: the port is for TLS. Write https:// in the webhook URL.",
  ]);
});

test("http to a port for TLS that closes the connection names the scheme as a possibility", async () => {
  const [error, message] = await sentTo(createHttps({ key, cert }, answer), "http");
  expect(error).toBe("reset");
  expect(message).toContain("If the port is for TLS, write https:// in the webhook URL.");
});

test("a receiver that wants a client's certificate is named so, with each version of TLS", async () => {
  expect(await sentTo(createHttps(byClient, answer), "https")).toEqual([
    "tls",
    "Failed to deliver: localhost wants a certificate of its client, and webhooks have none. Let the receiver take webhooks without a client's certificate. Their signature proves the sender.",
  ]);
  const [error, message] = await sentTo(createHttps({ ...byClient, maxVersion: "TLSv1.2" }, answer), "https");
  expect(error).toBe("tls");
  expect(message).toContain("it wants a client's certificate");
});

test("a receiver with old versions of TLS is named so", async () => {
  const old = {
    key,
    cert,
    minVersion: "TLSv1",
    maxVersion: "TLSv1.1",
    ciphers: "DEFAULT@SECLEVEL=0",
  } as const;
  expect(await sentTo(createHttps(old, answer), "https")).toEqual([
    "tls",
    "Failed to deliver: localhost takes only old versions of TLS. Let the receiver take TLS 1.2 or 1.3.",
  ]);
});

test("a name of the host machine that does not resolve comes with its flag", async () => {
  const lookup = () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
  const url = "http://host.docker.internal:4011/";
  const request = { url, headers: {}, body: Buffer.from("{}"), deadlineMs: 20_000 };
  const { error, message } = await sendWebhook(request, createEgress({ lookup }));
  expect(error).toBe("dns");
  expect(message).toContain("--add-host=host.docker.internal:host-gateway");
  expect(message).toContain("host.containers.internal");
});
