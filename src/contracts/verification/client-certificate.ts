import { FileMistakes } from "../../base/failures.ts";
import { readFileSync } from "node:fs";

/** The certificate that a provider asks of its clients, and the authorities that the client trusts. */
export interface ClientCertificate {
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly ca?: Buffer;
}

/** Reads PEM files by their flags. Throws a FileMistakes with the name of the flag. */
export function readCertificate(paths: Readonly<Record<keyof ClientCertificate, string | undefined>>) {
  const read: { -readonly [Name in keyof ClientCertificate]: ClientCertificate[Name] } = {};
  for (const [name, flag] of [
    ["cert", "--client-cert"],
    ["key", "--client-key"],
    ["ca", "--ca"],
  ] as const) {
    const path = paths[name];
    if (path === undefined) continue;
    try {
      read[name] = readFileSync(path);
    } catch (error) {
      throw new FileMistakes(
        `Failed to read ${path}: ${(error as Error).message}. Name a PEM file with ${flag}.`,
      );
    }
    if (!read[name].includes("-----BEGIN "))
      throw new FileMistakes(`Failed to read ${path}: it is no PEM file. Name one with ${flag}.`);
  }
  return Object.keys(read).length === 0 ? undefined : read;
}
