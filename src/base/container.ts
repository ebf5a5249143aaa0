import { existsSync } from "node:fs";

/** Returns true if this process runs in a container, by the marks of Docker, Podman and the image. */
export function isContained(): boolean {
  const isNamed = process.env["container"] !== undefined;
  return isNamed || existsSync("/.dockerenv") || existsSync("/run/.containerenv");
}
