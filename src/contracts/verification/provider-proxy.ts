import type { IncomingMessage, ServerResponse } from "node:http";
import type { PactFile } from "./pact-file.ts";
import type { ClientCertificate } from "./client-certificate.ts";
import { isRecord, listAt, parsed, textAt } from "../../simulator/engine/json.ts";
import { type Fetch, forward, openProxy } from "../../base/proxy.ts";

/** The request and the answer of one interaction. The verifier reports less than that. */
export interface Passage {
  /** The reason of a state that was not entered, or of a message that was not sent, in the provider's words. */
  readonly refusals: string[];
  /** The names of the values that the states returned. */
  readonly returned: Set<string>;
  /** The request to the provider itself, and the status of its answer. */
  request?: {
    readonly method: string;
    readonly path: string;
    readonly status: number;
    readonly hasToken: boolean;
    /** The provider's sentence, if it refused the request. */
    readonly refusal?: string;
  };
}

/** Decides the `Authorization` header of a pact's request on its way to the provider. */
export type TokenRule = (request: {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
}) => string | undefined;

/** Sends the token of the pact. */
export const asSent: TokenRule = ({ authorization }) => authorization;

/**
 * Replaces the bearer tokens of pacts with a valid token, and adds it if a pact has none. A token stays as it is if the
 * pact sends it, or leaves it out, only in requests that expect 401 or 403.
 */
export function replacingToken(token: string, pacts: readonly PactFile[]): TokenRule {
  const good = `Bearer ${token}`;
  const requests = pacts
    .flatMap(({ interactions }) => interactions)
    .flatMap(({ request, status }) =>
      request === undefined ? [] : { ...request, isRejected: status === 401 || status === 403 },
    );
  return ({ method, path, authorization }) => {
    if (authorization !== undefined && !/^Bearer\b/i.test(authorization)) return authorization;
    const similar = requests.filter((one) => one.authorization === authorization);
    const here = similar.filter((one) => one.method === method && one.path === path);
    // The pact does not contain a path that a state fills in.
    const known = authorization === undefined && here.length > 0 ? here : similar;
    const isBad = known.some(({ isRejected }) => isRejected);
    const isGood = known.some(({ isRejected }) => !isRejected);
    if (authorization === undefined) return known.length > 0 && !isBad ? good : undefined;
    return isBad && !isGood ? authorization : good;
  };
}

export interface ProviderProxyOptions {
  /** The certificate of the client, for a provider that asks for one. */
  readonly certificate?: ClientCertificate | undefined;
  /** The address of the provider, without a slash at the end, or its function in this process. */
  readonly target: string | Fetch;
  readonly tokenRule: TokenRule;
  /** Whether the provider has provider states and messages; only a sandbox has. */
  readonly hasStates: boolean;
  /** Called when an interaction begins. */
  readonly onInteraction?: () => void;
}

const STATES = "/sandbox/pact/states";
const MESSAGES = "/sandbox/pact/messages";

/** The refusal of a message by a provider that only answers requests. */
export const NO_MESSAGES = "This provider cannot be asked for messages: it has no /sandbox/pact/messages.";

/**
 * Opens a proxy between the verifier and the provider. It forwards every byte except tokens, and records the details
 * that the verifier's report leaves out.
 */
export async function openProviderProxy({
  target,
  tokenRule,
  hasStates,
  onInteraction,
  certificate,
}: ProviderProxyOptions) {
  const passages: Passage[] = [];
  let isOver = true;

  /** Returns the passage of a request. The verifier proceeds one by one: states, then one request, then teardowns. */
  function passage(begins: boolean): Passage {
    const last = passages.at(-1);
    if (last !== undefined && !(begins && isOver)) return last;
    const next: Passage = { refusals: [], returned: new Set() };
    passages.push(next);
    onInteraction?.();
    isOver = false;
    return next;
  }

  async function answer(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/" } = request;
    const path = new URL(url, "http://proxy").pathname;
    const isState = path === STATES;
    const isMessage = path === MESSAGES;
    const isTeardown = isState && /"action"\s*:\s*"teardown"/.test(body.toString("utf8"));
    if (isTeardown) isOver = true;
    const current = isTeardown ? undefined : passage(isState || isOver);
    if (!hasStates && (isState || isMessage)) {
      if (isMessage) current?.refusals.push(NO_MESSAGES);
      response.writeHead(isState ? 200 : 501, { "content-type": "application/json" }).end("{}");
      return;
    }
    const { authorization: sent, ...rest } = request.headers;
    const authorization = isState || isMessage ? sent : tokenRule({ method, path, authorization: sent });
    const forwarded = {
      method,
      url,
      headers: { ...rest, ...(authorization !== undefined && { authorization }) },
    };
    const { status, headers, bytes } = await forward(target, forwarded, body, certificate);
    response.writeHead(status, headers).end(bytes);
    if (current === undefined) return;
    if (isState || isMessage) {
      if (status >= 400) current.refusals.push(sentenceOf(bytes));
      else if (isState) for (const name of namesIn(bytes)) current.returned.add(name);
      // The verifier stops an interaction whose state was refused.
      isOver = isMessage || status >= 400;
      return;
    }
    const hasToken = authorization !== undefined;
    const refusal = status >= 400 ? sentenceOf(bytes).trim() : "";
    current.request = { method, path, status, hasToken, ...(refusal !== "" && { refusal }) };
    isOver = true;
  }

  const proxy = await openProxy({
    answer,
    onError: (error, response) => {
      passages.at(-1)?.refusals.push(`The provider did not answer: ${error.message}.`);
      response.destroy();
    },
  });
  return {
    port: proxy.port,
    url: proxy.url,
    /** The passages since the last call, one for each interaction. */
    takePassages: (): Passage[] => {
      isOver = true;
      return passages.splice(0);
    },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}

function namesIn(bytes: Buffer): string[] {
  const body = parsed(bytes.toString("utf8"));
  return isRecord(body) ? Object.keys(body) : [];
}

/** Returns the sentence of a common error body. */
function sentenceOf(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  const body = parsed(text);
  if (!isRecord(body)) return text.slice(0, 500);
  const described = listAt(body, "details").flatMap((detail) => textAt(detail, "description") ?? []);
  return described.join(" ") || textAt(body, "message") || text;
}
