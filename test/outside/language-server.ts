import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { outside } from "./consumer.ts";
import { pathToFileURL } from "node:url";

interface Diagnostic {
  readonly message: string;
  readonly range: { readonly start: { readonly line: number; readonly character: number } };
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
}

/** The YAML language server of editors, for files that name their schema in the first line. */
export class LanguageServer implements Disposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #answers = new Map<number, (result: unknown) => void>();
  readonly #published = new Map<string, (found: readonly Diagnostic[]) => void>();
  #count = 0;
  #read = Buffer.alloc(0);

  private constructor() {
    const args = [outside("yaml-language-server/bin/yaml-language-server"), "--stdio"];
    this.#child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"] });
    this.#child.stdout.on("data", (bytes: Buffer) => this.#take(bytes));
  }

  static async start(): Promise<LanguageServer> {
    const server = new LanguageServer();
    const capabilities = { textDocument: { completion: { completionItem: { snippetSupport: false } } } };
    await server.#ask("initialize", { processId: process.pid, rootUri: null, capabilities });
    server.#send({ method: "initialized", params: {} });
    const settings = { yaml: { validate: true, completion: true, schemaStore: { enable: false } } };
    server.#send({ method: "workspace/didChangeConfiguration", params: { settings } });
    return server;
  }

  [Symbol.dispose](): void {
    this.#child.kill();
  }

  /** Opens a file and returns its marks, with the text of each marked line. */
  async marksIn(text: string, schema: string): Promise<string[]> {
    const { uri, whole } = this.#file(text, schema);
    const found = await new Promise<readonly Diagnostic[]>((done) => {
      this.#published.set(uri, done);
      this.#open(uri, whole);
    });
    const lines = whole.split("\n");
    return found.map(({ message, range }) => `${(lines[range.start.line] ?? "").trim()}: ${message}`);
  }

  /** Returns the words that complete a file at its sign |. */
  async wordsAt(text: string, schema: string): Promise<string[]> {
    const { uri, whole } = this.#file(text, schema);
    const before = whole.slice(0, whole.indexOf("|")).split("\n");
    this.#open(uri, whole.replace("|", ""));
    const position = { line: before.length - 1, character: before.at(-1)?.length };
    const found = await this.#ask("textDocument/completion", { textDocument: { uri }, position });
    const { items } = found as { items: readonly { readonly label: string; readonly sortText?: string }[] };
    return items.map(({ label }) => label);
  }

  #file(text: string, schema: string): { readonly uri: string; readonly whole: string } {
    this.#count += 1;
    const place = pathToFileURL(`schemas/${schema}.schema.json`).href;
    return {
      uri: `file:///file-${this.#count}.yaml`,
      whole: `# yaml-language-server: $schema=${place}\n${text}`,
    };
  }

  #open(uri: string, text: string): void {
    const textDocument = { uri, languageId: "yaml", version: 1, text };
    this.#send({ method: "textDocument/didOpen", params: { textDocument } });
  }

  #ask(method: string, params: unknown): Promise<unknown> {
    this.#count += 1;
    const id = this.#count;
    return new Promise((done) => {
      this.#answers.set(id, done);
      this.#send({ id, method, params });
    });
  }

  #send(message: Message): void {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.#child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  #take(bytes: Buffer): void {
    this.#read = Buffer.concat([this.#read, bytes]);
    for (;;) {
      const end = this.#read.indexOf("\r\n\r\n");
      const length = Number(/Content-Length: (\d+)/.exec(this.#read.subarray(0, end).toString())?.[1]);
      if (end < 0 || this.#read.length < end + 4 + length) return;
      const text = this.#read.subarray(end + 4, end + 4 + length).toString();
      this.#read = this.#read.subarray(end + 4 + length);
      this.#handle(JSON.parse(text) as Message);
    }
  }

  #handle({ id, method, params, result }: Message): void {
    if (method === "textDocument/publishDiagnostics") {
      const { uri, diagnostics } = params as { uri: string; diagnostics: readonly Diagnostic[] };
      this.#published.get(uri)?.(diagnostics);
    } else if (method !== undefined && id !== undefined) {
      // The server asks for settings and for files that it watches.
      this.#send({ id, result: null });
    } else if (id !== undefined) this.#answers.get(id)?.(result);
  }
}
