import type { AddressInfo } from "node:net";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TokenRule } from "./token-rule.ts";
import { buffer } from "node:stream/consumers";
import { createServer } from "node:http";
import { forward } from "../../receiver/proxy.ts";
import { once } from "node:events";

/** What went through for one interaction: the verifier tells less than that. */
export interface Passage {
  /** Why a state was not entered, or a message not sent, in the provider's own words. */
  readonly refusals: string[];
  /** The names of what the states returned. */
  readonly returned: Set<string>;
  /** The request to the provider itself, and the status it was answered with. */
  exchange?: {
    readonly method: string;
    readonly path: string;
    readonly status: number;
    readonly hasToken: boolean;
    /** What it said where it turned the request away. */
    readonly refusal?: string;
  };
}

export interface FrontOptions {
  /** Where the provider answers, without a slash at the end. */
  readonly target: string;
  readonly tokenRule: TokenRule;
  /** Whether the provider can be put into states and asked for messages; only a sandbox can. */
  readonly hasStates: boolean;
}

const STATES = "/sandbox/pact/states";
const MESSAGES = "/sandbox/pact/messages";

/** Told of the messages of a provider that is asked for requests alone. */
export const NO_MESSAGES = "Messages cannot be asked of this provider: it has no /sandbox/pact/messages.";

/**
 * Stands between the verifier and the provider on a port of its own: hands every byte on, tokens excepted, and
 * notes what the verifier's report leaves out.
 */
export async function openFront({ target, tokenRule, hasStates }: FrontOptions) {
  const passages: Passage[] = [];
  let isOver = true;

  /** The verifier goes one by one: states, then one request, then teardowns. */
  function passage(begins: boolean): Passage {
    const last = passages.at(-1);
    if (last !== undefined && !(begins && isOver)) return last;
    const next: Passage = { refusals: [], returned: new Set() };
    passages.push(next);
    isOver = false;
    return next;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", "http://front").pathname;
    const body = await buffer(request);
    const isState = path === STATES;
    const isTeardown = isState && /"action"\s*:\s*"teardown"/.test(body.toString("utf8"));
    if (isTeardown) isOver = true;
    const current = isTeardown ? undefined : passage(isState || isOver);
    if (!hasStates && (isState || path === MESSAGES)) {
      if (!isState) current?.refusals.push(NO_MESSAGES);
      response.writeHead(isState ? 200 : 501, { "content-type": "application/json" }).end("{}");
      return;
    }
    const { authorization: sent, ...rest } = request.headers;
    const { method = "GET", url = "/" } = request;
    const isOwn = isState || path === MESSAGES;
    const authorization = isOwn ? sent : tokenRule({ method, path, authorization: sent });
    const allowed = {
      method,
      url,
      headers: { ...rest, ...(authorization !== undefined && { authorization }) },
    };
    const { status, headers, bytes } = await forward(target, allowed, body);
    response.writeHead(status, headers).end(bytes);
    if (current === undefined) return;
    if (isState || path === MESSAGES) {
      if (status >= 400) current.refusals.push(sentenceOf(bytes));
      else if (isState) for (const name of namesIn(bytes)) current.returned.add(name);
      // The verifier goes no further with an interaction whose state was refused.
      isOver = path === MESSAGES || status >= 400;
      return;
    }
    const hasToken = authorization !== undefined;
    const refusal = status >= 400 ? sentenceOf(bytes).trim() : "";
    current.exchange = { method, path, status, hasToken, ...(refusal !== "" && { refusal }) };
    isOver = true;
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      passages.at(-1)?.refusals.push(`The provider did not answer: ${(error as Error).message}.`);
      response.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    /** What went through so far, one entry for each interaction; begins anew with each call. */
    takePassages: (): Passage[] => {
      isOver = true;
      return passages.splice(0);
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function namesIn(bytes: Buffer): string[] {
  try {
    return Object.keys((JSON.parse(bytes.toString("utf8")) as object | null) ?? {});
  } catch {
    return [];
  }
}

/** The sentence of a common error body. */
function sentenceOf(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  try {
    const { message, details = [] } = JSON.parse(text) as {
      readonly message?: string;
      readonly details?: readonly { readonly description: string }[];
    };
    const described = details.map(({ description }) => description).join(" ");
    return described || message || text;
  } catch {
    return text.slice(0, 500);
  }
}
