import type { Attempt } from "../../platform/webhook-events/delivery.ts";

/** The attempt as a command for a shell; null where its body was too large to be kept whole. */
export function curlOf(url: string, { requestHeaders, requestBody, requestBytes }: Attempt): string | null {
  if (Buffer.byteLength(requestBody) !== requestBytes) return null;
  const headers = Object.entries(requestHeaders).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  // Without these two curl would put in a content type of its own, and wait for a go-ahead.
  const others = ["content-type", "expect"].filter((name) => !(name in requestHeaders));
  const absent = others.map((name) => `-H ${quoted(`${name}:`)}`);
  return ["curl -X POST", quoted(url), ...headers, ...absent, `--data-binary ${quoted(requestBody)}`].join(
    " ",
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
