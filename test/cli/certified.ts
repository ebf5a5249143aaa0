import type { Certificate } from "../../src/checks/certification/certificate.ts";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sandbank } from "./command.ts";
import type { TestContext } from "vitest";
import { SECRET } from "../partners/buggy-receiver.ts";
import { tmpdir } from "node:os";

/** A folder of a test, which is removed after the test. */
export function folder({ onTestFinished }: Pick<TestContext, "onTestFinished">): string {
  const path = mkdtempSync(join(tmpdir(), "sandbank-certify-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

/** Runs the command, and reads the certificate and the page that it writes. */
export async function certify(out: string, ...flags: readonly string[]) {
  const finished = await sandbank(
    "certify",
    "--secret",
    SECRET,
    "--out",
    join(out, "report.html"),
    // These receivers have done their work when they answer.
    "--settle",
    "5",
    ...flags,
  );
  const page = readFileSync(join(out, "report.html"), "utf8");
  const certificate = JSON.parse(readFileSync(join(out, "report.json"), "utf8")) as Certificate;
  return { ...finished, page, certificate };
}
