import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { createServer } from "node:http";
import { forward } from "../../receiver/proxy.ts";
import { once } from "node:events";
import { SIGN_HEADER, signedAs } from "./signing.ts";
import { SIGNATURE_HEADER } from "../../webhooks/signature.ts";

/**
 * Stands between the verifier and a receiver: signs the very bytes that the pact holds, in the way that the
 * pact's private header says, and hands them on without it. A pact cannot hold a signature, because it does not
 * know the receiver's secret.
 */
export async function openSigningProxy({ url, secret }: { readonly url: string; readonly secret: string }) {
  const receiver = new URL(url);
  const failures: string[] = [];
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const body = await buffer(request);
      const { [SIGN_HEADER.toLowerCase()]: signing = "valid", ...headers } = request.headers;
      const signature = signedAs(String(signing), secret, body);
      const signed = {
        method: request.method ?? "POST",
        url: receiver.pathname + receiver.search,
        headers: {
          ...headers,
          ...(signature !== undefined && { [SIGNATURE_HEADER]: signature }),
        },
      };
      const { status, headers: answered, bytes } = await forward(receiver.origin, signed, body);
      response.writeHead(status, answered).end(bytes);
    };
    answer().catch((error: unknown) => {
      failures.push((error as Error).message);
      response.writeHead(502).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Why the receiver could not be reached, each time. */
    failures,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
