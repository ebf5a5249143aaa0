/** The beginning of an answer's body, and whether there was more. */
export interface AnswerBody {
  readonly body: string;
  readonly truncated: boolean;
}

/** 64 KiB: enough to see what a receiver wanted to say, too little to fill a log with. */
const RESPONSE_LIMIT_BYTES = 64 * 1024;

/**
 * Reads a body up to a limit and drops the rest with its connection. A body that breaks off, or that the
 * deadline ends, is one that was not read to its end, not an error: the status line has decided by then.
 */
export async function readBody(
  stream: AsyncIterable<Uint8Array>,
  limitBytes: number = RESPONSE_LIMIT_BYTES,
): Promise<AnswerBody> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  let broken = false;
  try {
    for await (const chunk of stream) {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes > limitBytes) break;
    }
  } catch {
    broken = true;
  }
  const truncated = broken || sizeBytes > limitBytes;
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  // A letter that the cut has split is left out rather than shown as a broken one.
  return {
    body: decoder.decode(Buffer.concat(chunks).subarray(0, limitBytes), { stream: truncated }),
    truncated,
  };
}

/** An answer's headers as one text each. Nothing the receiver names can reach an object's prototype. */
export function flatHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const entries = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : String(value)]),
  );
}
