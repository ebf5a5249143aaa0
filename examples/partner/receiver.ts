import type { Gym } from "./gym.ts";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { isSigned } from "./signature.ts";
import { readEvent } from "./platform-event.ts";

const BODY_MAX_BYTES = 2 ** 21;

/** Answers the platform's webhooks: verifies the signature over the raw bytes, then handles the event. */
export function receiver(gym: Gym, secret: string): RequestListener {
  return (request, response) => {
    receive(request, response).catch(() => response.destroy());
  };

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST") return answer(response, 405, { error: "POST only" });
    const body = await readBody(request);
    if (body === undefined) return answer(response, 413, { error: "too large" });
    const header = request.headers["x-signature-sha256"];
    if (!isSigned(body, typeof header === "string" ? header : undefined, secret))
      return answer(response, 401, { error: "bad signature" });
    const event = readEvent(body.toString("utf8"));
    // An unknown event is acknowledged too. After a refusal the platform would send it four more times.
    if (event !== undefined) gym.hear(event);
    return answer(response, 200, { returnCode: "SUCCESS" });
  }
}

/** Reads the raw body. Undefined if it is larger than any body of the platform. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > BODY_MAX_BYTES) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
