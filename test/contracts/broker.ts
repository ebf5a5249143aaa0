import type { AddressInfo } from "node:net";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { once } from "node:events";
import { text } from "node:stream/consumers";

interface BrokerRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

interface Refusal {
  readonly status: number;
  /** Whether it needs no token, and refuses only what is published. */
  readonly isOpen: boolean;
}

const REFUSED = {
  notices: [{ type: "error", text: "Cannot change the content of the pact" }],
  errors: { contracts: ["changed"] },
};

/** A Pact Broker as far as its official clients ask: it records the requests and serves one pact. */
export async function fakeBroker(pact?: object, refusal?: Refusal) {
  const requests: BrokerRequest[] = [];
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const origin = `http://${request.headers.host}`;
    const path = request.url ?? "/";
    const link = (href: string, templated = false) => ({ href: origin + href, templated });
    const body = await text(request);
    const { authorization } = request.headers;
    const parsed: unknown = body === "" ? undefined : JSON.parse(body);
    requests.push({ method: request.method ?? "GET", path, authorization, body: parsed });
    const answers: Readonly<Record<string, object>> = {
      "/": {
        _links: {
          "pb:publish-contracts": link("/contracts/publish"),
          "pb:provider-pacts-for-verification": link("/pacts/provider/{provider}/for-verification", true),
        },
      },
      ...Object.fromEntries(
        [
          ["1.0.0", true],
          ["2.0.0", false],
        ].map(([version, deployable]) => [
          `/matrix?q[][pacticipant]=shop&q[][version]=${String(version)}&latestby=cvpv&environment=production`,
          {
            summary: { deployable, reason: "the reason of the broker", success: 1, failed: 0, unknown: 0 },
            notices: [{ type: deployable === true ? "success" : "error", text: "the notice of the broker" }],
            matrix: [
              {
                consumer: {
                  name: "shop",
                  version: { number: version, branch: null, branches: [], tags: [] },
                },
                provider: {
                  name: "banking-service",
                  version: { number: "7", branch: null, branches: [], tags: [] },
                },
                pact: { createdAt: "2026-01-01T00:00:00Z" },
                verificationResult: { success: deployable, verifiedAt: "2026-01-01T00:00:00Z" },
              },
            ],
          },
        ]),
      ),
      "/pacticipants/shop/versions/1.0.0": {
        number: "1.0.0",
        _links: {
          self: link("/pacticipants/shop/versions/1.0.0"),
          "pb:record-deployment": [
            {
              ...link("/pacticipants/shop/versions/1.0.0/deployed-versions/environment/e-1"),
              name: "production",
            },
          ],
        },
      },
      "/contracts/publish": { notices: [{ type: "success", text: "published" }], _links: {} },
      "/pacts/provider/banking-service/for-verification": {
        _embedded: {
          pacts: [
            {
              shortDescription: "latest",
              _links: { self: { ...link("/pacts/1"), name: "the pact of the shop" } },
            },
          ],
        },
        _links: { self: link(path) },
      },
      "/pacts/1": {
        ...pact,
        _links: {
          self: link("/pacts/1"),
          "pb:publish-verification-results": link("/pacts/1/results"),
          "pb:provider": link("/pacticipants/banking-service"),
        },
      },
      "/pacticipants/banking-service": {
        _links: {
          "pb:version": link("/pacticipants/banking-service/versions/{version}", true),
          "pb:branch-version": link(
            "/pacticipants/banking-service/branches/{branch}/versions/{version}",
            true,
          ),
          "pb:version-tag": link("/pacticipants/banking-service/versions/{version}/tags/{tag}", true),
        },
      },
    };
    response.setHeader("content-type", "application/hal+json");
    const isRefused = refusal !== undefined && (!refusal.isOpen || path === "/contracts/publish");
    if (isRefused) response.writeHead(refusal.status).end(refusal.isOpen ? JSON.stringify(REFUSED) : "{}");
    else response.end(JSON.stringify(answers[path] ?? { _links: {} }));
  }

  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
