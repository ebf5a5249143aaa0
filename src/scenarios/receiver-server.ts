import type { AddressInfo } from "node:net";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ScriptedReceiver } from "./receiver.ts";
import { createServer } from "node:http";
import { once } from "node:events";

/** Gives the built-in receiver an address on this machine, for a sandbox that runs elsewhere. */
export async function listenForWebhooks(
  receiver: ScriptedReceiver,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  // A request that breaks off never came: there is nobody to answer and nothing to remember.
  const server = createServer(
    (request, response) => void receive(receiver, request, response).catch(() => {}),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${port}/webhooks`, close };
}

async function receive(
  receiver: ScriptedReceiver,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  const answer = await receiver.receive({
    url: request.url ?? "/",
    headers,
    body: Buffer.concat(chunks).toString("utf8"),
  });
  if (!("error" in answer)) response.writeHead(answer.status, answer.headers).end(answer.body);
  // A timeout is no answer at all: the sender's deadline ends the connection.
  else if (answer.error !== "timeout") request.socket.resetAndDestroy();
}
