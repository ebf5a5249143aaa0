import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";

const AUTHORIZED = { Authorization: ["Bearer acme-token"] };

/** An HTTP interaction of a consumer that lists accounts; a test overrides the fields that it is about. */
export function httpInteraction(
  description: string,
  {
    request = {},
    response = {},
    ...changed
  }: { request?: object; response?: object; [key: string]: unknown },
) {
  return {
    type: "Synchronous/HTTP",
    description,
    request: { method: "GET", path: "/order/v1/banking/accounts", headers: AUTHORIZED, ...request },
    response: { status: 200, ...response },
    ...changed,
  };
}

/** A message interaction of which the consumer reads these fields. */
export function messageInteraction(description: string, content: object, changed: object = {}) {
  return {
    type: "Asynchronous/Messages",
    description,
    contents: { content, contentType: "application/json", encoded: false },
    ...changed,
  };
}

/** Writes a pact of the consumer `shop` into a folder of its own and returns the file's path. */
export function pactFile(...interactions: readonly object[]): string {
  const file = join(mkdtempSync(join(tmpdir(), "pact-")), "shop.json");
  const pact = {
    consumer: { name: "shop" },
    provider: { name: "banking-service" },
    interactions,
    metadata: { pactSpecification: { version: "4.0" } },
  };
  writeFileSync(file, JSON.stringify(pact));
  return file;
}

export function jsonBody(content: unknown) {
  return { content, contentType: "application/json", encoded: false };
}
