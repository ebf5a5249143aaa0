import type { IncomingMessage, ServerResponse } from "node:http";
import { http } from "../../base/node-http.ts";
import { Server as SecureServer } from "node:https";
import { real } from "./fake-clock.ts";
import { performance } from "node:perf_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";

/** Marks the server of a sandbox (`server/listen.ts`), because its requests are not the work of a partner. */
const SANDBOX_SERVER = Symbol.for("sandbank.server");

interface OpenRequestsOptions {
  /** The address of the sandbox. */
  readonly url: string;
  /** Awaited before an incoming request is handled. Undefined without a need to wait. */
  readonly arriving: () => Promise<unknown> | undefined;
}

/** A request of `node:http`, `fetch` or undici, as its diagnostics channel shows it. */
interface SentRequest {
  readonly request: {
    readonly origin?: string | URL;
    readonly path?: string;
    readonly protocol?: string;
    readonly host?: string;
    getHeader?(name: string): unknown;
    once?(event: "close", listener: () => void): void;
  };
}

/** The requests that this process makes or answers at present, by Node's diagnostics channels. */
export class OpenRequests {
  readonly #options: OpenRequestsOptions;
  readonly #open = new Set<object>();
  readonly #listeners: (readonly [channel: string, listener: (message: unknown) => void])[];
  readonly #restore: (() => void)[];
  #lastChangeMs = -Infinity;
  #wake: () => void = () => undefined;

  constructor(options: OpenRequestsOptions) {
    this.#options = options;
    this.#listeners = [
      ["http.client.request.start", (message) => this.#sent(message as SentRequest)],
      ["undici:request:create", (message) => this.#sent(message as SentRequest)],
      ["undici:request:trailers", (message) => this.ended((message as SentRequest).request)],
      ["undici:request:error", (message) => this.ended((message as SentRequest).request)],
    ];
    for (const [channel, listener] of this.#listeners) subscribe(channel, listener);
    this.#restore = [http.Server, SecureServer].map(({ prototype }) => this.#hold(prototype));
  }

  /** Ends when no request was open for so long. */
  async idle(settleMs: number): Promise<void> {
    for (;;) {
      const idleMs = performance.now() - this.#lastChangeMs;
      if (this.#open.size === 0 && idleMs >= settleMs) return;
      await new Promise<void>((resolve) => {
        if (this.#open.size === 0) real.setTimeout(resolve, Math.ceil(settleMs - idleMs));
        else this.#wake = resolve;
      });
      // Data that has arrived since then is read before.
      await new Promise((resolve) => real.setImmediate(resolve));
    }
  }

  /** Starts the idle time again, because code has run that may send a request. */
  restartIdleTime(): void {
    this.#lastChangeMs = performance.now();
  }

  stop(): void {
    for (const [channel, listener] of this.#listeners) unsubscribe(channel, listener);
    for (const restore of this.#restore) restore();
    this.#open.clear();
    this.#wake();
  }

  /** Opens a request, or other work of this kind, until `ended`. */
  began(request: object): void {
    this.#open.add(request);
    this.restartIdleTime();
  }

  ended(request: object): void {
    if (!this.#open.delete(request)) return;
    this.restartIdleTime();
    if (this.#open.size === 0) this.#wake();
  }

  #sent({ request }: SentRequest): void {
    const isOwn = this.#addressOf(request) === new URL(this.#options.url).origin;
    // An advance gives this process its turns, and a scenario advances.
    if (isOwn && /^\/sandbox\/(?:clock|scenarios\/.*\/run)/.test(request.path ?? "")) return;
    this.began(request);
    request.once?.("close", () => this.ended(request));
  }

  #addressOf(request: SentRequest["request"]): string {
    if (request.origin !== undefined) return String(request.origin);
    return `${request.protocol}//${String(request.getHeader?.("host"))}`;
  }

  /** Lets a server handle a request after the earlier work is done. */
  #hold(prototype: { emit: (event: string, ...args: never[]) => boolean }): () => void {
    const own = Object.getOwnPropertyDescriptor(prototype, "emit");
    const { emit } = prototype;
    const arrives = async (response: ServerResponse, handle: () => boolean): Promise<void> => {
      this.began(response);
      response.once("close", () => this.ended(response));
      const before = this.#options.arriving();
      if (before !== undefined) await before;
      handle();
    };
    prototype.emit = function (event: string, ...args: never[]): boolean {
      const handle = (): boolean => emit.call(this, event, ...args);
      if (event !== "request" || SANDBOX_SERVER in this) return handle();
      const [, response] = args as unknown as [IncomingMessage, ServerResponse];
      void arrives(response, handle);
      return true;
    };
    return () => {
      if (own === undefined) Reflect.deleteProperty(prototype, "emit");
      else Object.defineProperty(prototype, "emit", own);
    };
  }
}
