/** Where a sandbox of this machine listens: the port of `SANDBANK_PORT`, or the usual one. */
export function localUrl(): string {
  return `http://127.0.0.1:${process.env["SANDBANK_PORT"] || "4010"}`;
}
