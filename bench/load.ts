import { Pool } from "undici";

const CONNECTIONS = 50;

/** What does not count: a server is slow until all of its code is optimized, on a busy machine for long. */
const WARM_MIN_MS = 1_000;
const WARM_MAX_MS = 15_000;
const WARM_REQUESTS = 30_000;

export interface Asked {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Who is asked, and how much processor time it has used. */
export interface Loaded {
  readonly url: string;
  readonly processorMs: () => number;
}

export interface Measured {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** Processor time of the server for one request: on a busy machine more telling than requests in a second. */
  readonly processorUs: number;
  /** Answers that were no success: there should be none. */
  readonly failed: number;
}

/** Asks over fifty connections for so many seconds, once the server is warm. */
export async function load(
  { url, processorMs }: Loaded,
  ask: (number: number) => Asked,
  seconds: number,
): Promise<Measured> {
  const pool = new Pool(url, { connections: CONNECTIONS });
  let number = 0;
  let failed = 0;
  const partners = async (isOver: () => boolean, took?: (durationMs: number) => void): Promise<void> => {
    const partner = async (): Promise<void> => {
      while (!isOver()) {
        const began = performance.now();
        const { statusCode, body } = await pool.request(ask(number++));
        await body.dump();
        if (statusCode >= 400) failed++;
        took?.(performance.now() - began);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, partner));
  };
  const began = performance.now();
  const warmFor = (): number => performance.now() - began;
  await partners(() => warmFor() > WARM_MAX_MS || (warmFor() > WARM_MIN_MS && number > WARM_REQUESTS));
  const durations: number[] = [];
  const processorAt = processorMs();
  const until = performance.now() + seconds * 1_000;
  await partners(
    () => performance.now() >= until,
    (durationMs) => durations.push(durationMs),
  );
  const processorUsed = (processorMs() - processorAt) * 1_000;
  await pool.close();
  durations.sort((left, right) => left - right);
  return {
    perSecond: Math.round(durations.length / seconds),
    processorUs: Math.round((processorUsed / durations.length) * 10) / 10,
    p99Ms: Math.round((durations[Math.floor(durations.length * 0.99)] ?? 0) * 10) / 10,
    failed,
  };
}
