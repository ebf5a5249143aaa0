import { PassThrough } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

/**
 * A transport over standard input and output that answers each request, also if the input ends before. The transport
 * of the protocol's library would drop requests under way.
 */
export class AnsweringTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #input = new PassThrough();
  readonly #stdio = new StdioServerTransport(this.#input, process.stdout);
  readonly #open = new Set<unknown>();
  readonly #closed = Promise.withResolvers<void>();
  #hasEnded = false;

  /** Resolves when the session has ended. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  async start(): Promise<void> {
    Object.assign(this.#stdio, {
      onclose: () => {
        this.onclose?.();
        this.#closed.resolve();
      },
      onerror: (error: Error) => this.onerror?.(error),
      onmessage: (message: JSONRPCMessage) => this.#receive(message),
    } satisfies Partial<Transport>);
    process.stdin.pipe(this.#input, { end: false });
    // The last message may lack its line break. Empty lines are skipped.
    process.stdin.once("end", () => this.#input.write("\n"));
    for (const event of ["end", "close"]) process.stdin.once(event, () => this.#end());
    await this.#stdio.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#stdio.send(message);
    if (!("method" in message) && "id" in message) this.#open.delete(message.id);
    if (this.#hasEnded) this.#end();
  }

  async close(): Promise<void> {
    await this.#stdio.close();
  }

  #receive(message: JSONRPCMessage): void {
    if ("method" in message && "id" in message) this.#open.add(message.id);
    // A request that the agent cancels gets no answer.
    if ("method" in message && message.method === "notifications/cancelled")
      this.#open.delete(message.params?.["requestId"]);
    this.onmessage?.(message);
  }

  /** Ends the session once the messages are read and the requests are answered. */
  #end(): void {
    this.#hasEnded = true;
    setImmediate(() => {
      if (this.#open.size === 0) this.#input.end();
    });
  }
}
