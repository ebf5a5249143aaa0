import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { freePort } from "../free-port.ts";
import { once } from "node:events";
import { type ChildProcess, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { tmpdir } from "node:os";

/** What stays where it is: it has many files, and nothing in the documentation writes there. */
const LINKED = new Set(["node_modules", "src", "test", "docs", "scenarios", "schemas"]);

/** What a clone does not have. */
const LEFT_OUT = new Set([".git", "bench", "build", "dist"]);

/** Ports as the documentation has them, by what a server calls itself. */
const WRITTEN_PORTS: Readonly<Record<string, string>> = { sandbank: "4010", receiver: "4011", gym: "4020" };
/** A server says where it listens; `tail` says what it follows, and is ready then. */
const READY = /(?:(\w+) listen(?:s|ing) on|Following the default world at) http:\/\/127\.0\.0\.1:(\d+)/;

const COMMAND_MAX_MS = 150_000;

interface Server {
  readonly child: ChildProcess;
  output: string;
  /** How much of the output was shown by the page so far. */
  read: number;
}

/** What a reader has before them: a clone of their own, a shell, and servers running in other terminals. */
export class Terminal {
  readonly #folder = mkdtempSync(join(tmpdir(), "sandbank-documentation-"));
  readonly #ports = new Map<string, string>();
  readonly #servers: Server[] = [];

  constructor() {
    for (const entry of readdirSync(".").filter((name) => !LEFT_OUT.has(name))) {
      const place = join(this.#folder, entry);
      if (LINKED.has(entry)) symlinkSync(resolve(entry), place);
      else cpSync(entry, place, { recursive: true });
    }
    // What `npm install` puts on the path of a project's scripts, and `npx` finds. It is built when the tests begin, and
    // starts faster than the sources.
    const bin = join(this.#folder, ".bin");
    const command = `#!/bin/sh\nexec "${process.execPath}" "${resolve("dist/cli/main.js")}" "$@"\n`;
    mkdirSync(bin);
    writeFileSync(join(bin, "sandbank"), command);
    writeFileSync(join(bin, "npx"), `#!/bin/sh\nexec "$@"\n`);
    // What this script of npm runs, without the start of npm; anything else goes to the npm that is next on the path.
    const script = '"run -s sandbank -- "*) shift 4; exec sandbank "$@" ;;';
    writeFileSync(
      join(bin, "npm"),
      `#!/bin/sh\ncase "$*" in ${script} esac\nPATH="\${PATH#*:}" exec npm "$@"\n`,
    );
    for (const name of readdirSync(bin)) chmodSync(join(bin, name), 0o755);
  }

  /** Whether a server listens in the place of this port of the documentation. */
  listensFor(written: string): boolean {
    return this.#ports.has(written);
  }

  write(name: string, content: string): void {
    writeFileSync(join(this.#folder, name), this.translated(content));
  }

  /** The text with the ports that are really listened on, and the package as its sources have it. */
  translated(written: string): string {
    const sources = written.replaceAll('from "sandbank"', `from "${resolve("src/index.ts")}"`);
    return [...this.#ports].reduce((so, [port, real]) => so.replaceAll(port, real), sources);
  }

  /** Runs a block to its end. */
  async run(
    commands: string,
  ): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
    const child = this.#spawn(commands);
    child.stdin.end();
    const stop = setTimeout(() => kill(child), COMMAND_MAX_MS);
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    clearTimeout(stop);
    return { code: child.exitCode, out, err };
  }

  /** Starts what does not end by itself, and waits until it says that it is ready. */
  async start(commands: string): Promise<void> {
    const child = this.#spawn(commands, { PORT: String(await freePort()) });
    const server: Server = { child, output: "", read: 0 };
    this.#servers.push(server);
    child.stdout?.on("data", (chunk: Buffer) => (server.output += chunk.toString()));
    child.stderr?.on("data", (chunk: Buffer) => (server.output += chunk.toString()));
    const [, name, port = ""] = await this.#waitFor(READY, [server]);
    if (name !== undefined) this.#ports.set(WRITTEN_PORTS[name] ?? "", port);
  }

  /** Waits until a server has printed this after what the page showed of it before. */
  async waitForPrinted(pattern: RegExp): Promise<void> {
    await this.#waitFor(pattern, this.#servers);
  }

  async #waitFor(pattern: RegExp, servers: readonly Server[]): Promise<RegExpExecArray> {
    const deadline = AbortSignal.timeout(COMMAND_MAX_MS);
    for (;;) {
      for (const server of servers) {
        const found = pattern.exec(server.output.slice(server.read));
        if (found === null) continue;
        server.read += found.index + found[0].length;
        return found;
      }
      const said = servers.map(({ output }) => output).join("\n");
      if (!servers.some(({ child }) => isRunning(child)))
        throw new Error(`Nothing runs that could still say ${String(pattern)}. It said:\n${said}`);
      await Promise.race(
        servers.flatMap(({ child }) => [
          once(child.stdout!, "data", { signal: deadline }),
          once(child.stderr!, "data", { signal: deadline }),
          once(child, "close", { signal: deadline }),
        ]),
      ).catch(() => {
        throw new Error(`Nobody said ${String(pattern)}. What was said:\n${said}`);
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // What follows a server ends before it.
    for (const { child } of this.#servers.toReversed()) {
      if (!isRunning(child)) continue;
      kill(child);
      await once(child, "close");
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #spawn(commands: string, more: Readonly<Record<string, string>> = {}) {
    const port = this.#ports.get("4010") ?? "0";
    const path = [join(this.#folder, ".bin"), process.env["PATH"]].join(delimiter);
    return spawn("bash", ["-euo", "pipefail", "-c", this.translated(commands)], {
      cwd: this.#folder,
      detached: true,
      stdio: "pipe",
      env: {
        ...process.env,
        ...more,
        PATH: path,
        NO_COLOR: "1",
        SANDBANK_PORT: port,
        BANK_URL: `http://127.0.0.1:${port}`,
      },
    });
  }
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

/** The shell and everything it started. */
function kill({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, "SIGTERM");
}
