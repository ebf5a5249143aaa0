import type { WebhookRequest } from "../webhooks/attempt.ts";

/** Past this a command line is no help. */
const BODY_MAX_BYTES = 4096;

/** A command line that sends a request again, byte for byte; undefined where no shell can hold it. */
export function curlOf({ url, headers, body }: WebhookRequest): string | undefined {
  const text = Buffer.from(body).toString("utf8");
  const isExact = Buffer.compare(Buffer.from(text), Buffer.from(body)) === 0 && !text.includes("\0");
  const isPlain = Object.values(headers).every((value) => /^[\x20-\x7e]*$/.test(value));
  if (body.length > BODY_MAX_BYTES || !isExact || !isPlain) return undefined;
  const lines = Object.entries(headers).map(([name, value]) =>
    value === "" ? `-H ${quoted(`${name};`)}` : `-H ${quoted(`${name}: ${value}`)}`,
  );
  return ["curl -i", ...lines, `--data-binary ${quoted(text)}`, quoted(url)].join(" ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
