import { Pool } from "undici";

const CONNECTIONS = 50;

/** The warm-up does not count. A server is slow until its code is optimized, on a busy machine for a long time. */
const WARM_MIN_MS = 1_000;
const WARM_MAX_MS = 15_000;
const WARM_REQUESTS = 30_000;

export interface Asked {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The server to ask, with the processor time that it has used. */
export interface Loaded {
  readonly url: string;
  readonly processorMs: () => number;
}

export interface Measured {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** The server's processor time for one request. On a busy machine it is more reliable than requests per second. */
  readonly processorUs: number;
  /** The number of answers without success. It should be 0. */
  readonly failed: number;
}

/** The slices of two servers in turn. They are so short that the noise of a machine affects both in the same way. */
const SLICE_MS = 150;

/** Asks over fifty connections for this many seconds, once the server is warm. */
export async function load(
  server: Loaded,
  ask: (number: number) => Asked,
  seconds: number,
): Promise<Measured> {
  const one = new Load(server, ask);
  await one.warm();
  await one.measure(seconds * 1_000);
  return one.end();
}

/** Does the same as `load` for two servers in turn, each for this many seconds. */
export async function loadInTurn(
  servers: readonly [Loaded, Loaded],
  ask: (number: number) => Asked,
  seconds: number,
): Promise<[Measured, Measured]> {
  const [first, second] = [new Load(servers[0], ask), new Load(servers[1], ask)];
  await first.warm();
  await second.warm();
  for (let slice = 0; slice * SLICE_MS < seconds * 1_000; slice++) {
    await first.measure(SLICE_MS);
    await second.measure(SLICE_MS);
  }
  return [await first.end(), await second.end()];
}

/** One server under load. */
class Load {
  readonly #server: Loaded;
  readonly #ask: (number: number) => Asked;
  readonly #pool: Pool;
  readonly #durations: number[] = [];
  #number = 0;
  #failed = 0;
  #measuredMs = 0;
  #processorMs = 0;

  constructor(server: Loaded, ask: (number: number) => Asked) {
    this.#server = server;
    this.#ask = ask;
    this.#pool = new Pool(server.url, { connections: CONNECTIONS });
  }

  async warm(): Promise<void> {
    const began = performance.now();
    const warmFor = (): number => performance.now() - began;
    await this.#request(
      () => warmFor() > WARM_MAX_MS || (warmFor() > WARM_MIN_MS && this.#number > WARM_REQUESTS),
    );
  }

  async measure(durationMs: number): Promise<void> {
    const began = performance.now();
    const processorAt = this.#server.processorMs();
    await this.#request(
      () => performance.now() - began >= durationMs,
      (tookMs) => this.#durations.push(tookMs),
    );
    this.#processorMs += this.#server.processorMs() - processorAt;
    this.#measuredMs += performance.now() - began;
  }

  async end(): Promise<Measured> {
    await this.#pool.close();
    const durations = this.#durations.toSorted((left, right) => left - right);
    const { length } = durations;
    return {
      perSecond: Math.round(length / (this.#measuredMs / 1_000)),
      processorUs: Math.round((this.#processorMs * 10_000) / length) / 10,
      p99Ms: Math.round((durations[Math.floor(length * 0.99)] ?? 0) * 10) / 10,
      failed: this.#failed,
    };
  }

  async #request(isOver: () => boolean, took?: (tookMs: number) => void): Promise<void> {
    const partner = async (): Promise<void> => {
      while (!isOver()) {
        const began = performance.now();
        const { statusCode, body } = await this.#pool.request(this.#ask(this.#number++));
        await body.dump();
        if (statusCode >= 400) this.#failed++;
        took?.(performance.now() - began);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, partner));
  }
}
