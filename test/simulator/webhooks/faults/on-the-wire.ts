import type { AddressInfo } from "node:net";
import { createHmac } from "node:crypto";
import { type IncomingMessage, createServer } from "node:http";
import { once } from "node:events";
import type { Sandbox, SandboxObject } from "../../../../src/server/access/sandbox-interface.ts";
import { createSandbox } from "../../../../src/library/sandbox.ts";
import { assertDefined } from "../../../../src/simulator/engine/assertion.ts";
import { subscriptionBody } from "../../../partner.ts";

export const SECRET = "acme-webhook-secret";

/** A request as a receiver on a real socket got it. */
export interface Arrived {
  readonly headers: IncomingMessage["headers"];
  /** The bytes, exactly. */
  readonly body: Buffer;
}

/** A receiver on a real port, and a sandbox that sends its webhooks there. */
export interface WireBench extends AsyncDisposable {
  readonly sandbox: Sandbox;
  /** The requests that arrived whole. */
  readonly arrived: Arrived[];
  /** How many connections were made, and how many of them broke off. */
  readonly connections: { made: number; broken: number };
  /** Answers the next requests so; 200 past the end. */
  readonly answers: number[];
  /** Arms a fault, then lets one event happen and its attempt end. */
  strike(fault: SandboxObject): Promise<SandboxObject>;
  /** Lets one event happen and its first attempt end. */
  happen(externalId?: string): Promise<SandboxObject>;
}

export async function openBench(assumptions: Record<string, string> = {}): Promise<WireBench> {
  const arrived: Arrived[] = [];
  const connections = { made: 0, broken: 0 };
  const answers: number[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", () => (connections.broken += 1));
    request.on("end", () => {
      arrived.push({ headers: request.headers, body: Buffer.concat(chunks) });
      response.writeHead(answers.shift() ?? 200, { "content-type": "application/json" });
      response.end('{"returnCode":"OK"}');
    });
  });
  server.on("connection", () => (connections.made += 1));
  server.on("clientError", (_error, socket) => socket.destroy());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const sandbox = await createSandbox({
    seed: 7,
    start: "2026-11-20T09:00:00-03:00",
    webhookUrl: url,
    assumptions,
  });
  const happen = async (externalId = "subscription-1"): Promise<SandboxObject> => {
    const created = await sandbox.fetch("/order/v1/banking/subscriptions", {
      method: "POST",
      headers: { authorization: "Bearer acme-token" },
      body: JSON.stringify(subscriptionBody({ externalId })),
    });
    const { id } = (await created.json()) as SandboxObject;
    await sandbox.act("subscription.accept", { id });
    await sandbox.advance("PT0S");
    const deliveries = await sandbox.deliveries();
    return assertDefined(
      deliveries.find(({ objectId }) => objectId === id),
      `the delivery about ${id}`,
    );
  };
  return {
    sandbox,
    arrived,
    connections,
    answers,
    happen,
    strike: async (fault) => {
      await sandbox.fault({ on: "webhook", ...fault } as never);
      return happen();
    },
    [Symbol.asyncDispose]: async () => {
      await sandbox.close();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The signature that bytes should have, computed here and not by our own code. */
export function signed(body: Buffer, secret: string = SECRET): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

export function only(bench: WireBench): Arrived {
  if (bench.arrived.length !== 1) throw new Error(`${bench.arrived.length} requests arrived`);
  return assertDefined(bench.arrived[0], "the request");
}
