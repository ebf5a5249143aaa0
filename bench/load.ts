import { Pool } from "undici";

const CONNECTIONS = 50;

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

/** Asks over fifty connections for so many seconds, after a second that does not count. */
export async function load(
  { url, processorMs }: Loaded,
  ask: (number: number) => Asked,
  seconds: number,
): Promise<Measured> {
  const pool = new Pool(url, { connections: CONNECTIONS });
  let number = 0;
  let failed = 0;
  const durations: number[] = [];
  const warmUntil = performance.now() + 1_000;
  let processorAt = Number.NaN;
  setTimeout(() => (processorAt = processorMs()), 1_000);
  const until = warmUntil + seconds * 1_000;
  const partner = async (): Promise<void> => {
    for (let began = performance.now(); began < until; began = performance.now()) {
      const { statusCode, body } = await pool.request(ask(number++));
      await body.dump();
      if (statusCode >= 400) failed++;
      if (began >= warmUntil) durations.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, partner));
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
