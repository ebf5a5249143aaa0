import { existsSync } from "node:fs";
import { FileMistakes } from "../base/failures.ts";
import { foldersAbove } from "../base/package.ts";
import { isRecord } from "../simulator/engine/json.ts";
import { join, resolve } from "node:path";
import { type UserFile, readUserFile } from "../base/user-file.ts";

/** The package.json of a project. */
export interface Project {
  readonly folder: string;
  readonly path: string;
  /** Undefined if the file is missing. */
  readonly packageFile: { readonly file: UserFile; readonly json: PackageJson } | undefined;
}

interface PackageJson {
  readonly type?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Reads the package.json of a folder. */
export function readProject(folder: string): Project {
  const path = join(folder, "package.json");
  if (!existsSync(path)) return { folder, path, packageFile: undefined };
  const file = readUserFile(path);
  let json: unknown;
  try {
    json = JSON.parse(file.text);
  } catch (error) {
    throw new FileMistakes(`${path}: ${(error as Error).message}. Correct it, or name another folder.`);
  }
  if (!isRecord(json) || (json["scripts"] !== undefined && !isRecord(json["scripts"]))) {
    const what = isRecord(json) ? "its scripts are" : "it is";
    throw new FileMistakes(`${path}: ${what} not an object. Correct it, or name another folder.`);
  }
  return { folder, path, packageFile: { file, json } };
}

/** The commands of package managers for running programs, by their lock file. */
const MANAGERS = {
  "pnpm-lock.yaml": "pnpm exec",
  "yarn.lock": "yarn",
  "bun.lock": "bunx",
  "bun.lockb": "bunx",
  "package-lock.json": "npx",
} as const;

/** The surroundings of a new folder: the nearest folder comes first. */
interface Surroundings {
  readonly folders: readonly string[];
  readonly packages: readonly PackageJson[];
}

/** Reads a folder and the folders above it, up to the root of the repository. */
function surroundingsOf(project: Project): Surroundings {
  const own = resolve(project.folder);
  const all = [own, ...foldersAbove(own)];
  const root = all.findIndex((folder) => existsSync(join(folder, ".git")));
  const folders = root === -1 ? all : all.slice(0, root + 1);
  const above = folders.slice(1).flatMap(readAbove);
  return {
    folders,
    packages: project.packageFile === undefined ? above : [project.packageFile.json, ...above],
  };
}

/** Reads the package.json of a folder above. A broken one is not the file that `init` was asked about. */
function readAbove(folder: string): PackageJson[] {
  try {
    return [readProject(folder).packageFile?.json ?? []].flat();
  } catch {
    return [];
  }
}

/** Returns how the package manager of a project runs an installed program: `npx`, for example. */
export function programRunner(project: Project): string {
  const { folders } = surroundingsOf(project);
  const names = Object.keys(MANAGERS) as (keyof typeof MANAGERS)[];
  const found = folders.flatMap((folder) => names.filter((name) => existsSync(join(folder, name))));
  return found[0] === undefined ? "npx" : MANAGERS[found[0]];
}

type TestRunner = "vitest" | "jest" | "node:test";

/** Returns the runner that a package.json names. Undefined if it names none. */
function runnerIn({ dependencies, devDependencies, scripts }: PackageJson): TestRunner | undefined {
  const packages = { ...dependencies, ...devDependencies };
  const script = scripts?.["test"] ?? "";
  const isIn = (name: string): boolean => name in packages || new RegExp(`\\b${name}\\b`).test(script);
  if (isIn("vitest")) return "vitest";
  if (isIn("jest")) return "jest";
  return /\bnode\b.* --test\b/.test(script) ? "node:test" : undefined;
}

interface FirstTest {
  readonly name: string;
  readonly text: string;
  /** The command that runs it. */
  readonly command: string;
}

/**
 * Writes a first test for the runner of a project, in TypeScript if the project uses that and the runner reads it. A
 * folder without a runner uses the runner of the nearest folder above: the project, or the root of its workspaces.
 */
export function firstTest(project: Project): FirstTest {
  const { folders, packages } = surroundingsOf(project);
  const exec = programRunner(project);
  const owner = packages.findIndex((one) => runnerIn(one) !== undefined);
  const runner = (packages[owner] && runnerIn(packages[owner])) ?? "node:test";
  const near = packages.slice(0, owner + 1 || 1);
  const isTyped =
    near.some((one) => "typescript" in { ...one.dependencies, ...one.devDependencies }) ||
    existsSync(join(project.folder, "tsconfig.json"));
  if (runner === "vitest") {
    const name = `test/sandbank.test.${isTyped ? "ts" : "mjs"}`;
    return { name, text: testText("vitest", isTyped), command: `${exec} vitest run ${name}` };
  }
  if (runner === "jest") {
    // Jest reads ES modules only with this option, and TypeScript only with a transformer that is set up for them.
    const name = `test/sandbank.test.${packages[0]?.type === "module" ? "js" : "mjs"}`;
    const command = `NODE_OPTIONS=--experimental-vm-modules ${exec} jest ${name}`;
    return { name, text: testText("@jest/globals", false), command };
  }
  const name = `test/sandbank.test.${isTyped ? "mts" : "mjs"}`;
  // The project's own Node package may be newer than the machine's Node. Yarn finds packages only for its own programs.
  const isInstalled = folders.some((folder) => existsSync(join(folder, "node_modules/.bin/node")));
  const node = isInstalled || exec === "yarn" ? `${exec} node` : "node";
  return { name, text: testText("node:test", isTyped), command: `${node} --test ${name}` };
}

function testText(runner: string, isTyped: boolean): string {
  const typed = (text: string): string => (isTyped ? text : "");
  return `import assert from "node:assert/strict";
import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
${typed('import type { AddressInfo } from "node:net";\n')}import { createSandbox } from "sandbank";
import { test } from "${runner}";

/** Acts as your receiver: it verifies the signature over the exact bytes, then keeps the event. */
async function openReceiver(secret${typed(": string")}) {
  const events${typed(": { event: string; status: string }[]")} = [];
  const server = createServer((request, response) => {
    const chunks${typed(": Buffer[]")} = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const right = Buffer.from(\`sha256=\${createHmac("sha256", secret).update(body).digest("hex")}\`);
      const sent = Buffer.from(String(request.headers["x-signature-sha256"]));
      const isSigned = sent.length === right.length && timingSafeEqual(sent, right);
      if (isSigned) events.push(JSON.parse(body.toString()));
      response.writeHead(isSigned ? 200 : 401).end();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address()${typed(" as AddressInfo")};
  return { events, url: \`http://127.0.0.1:\${port}/webhooks\`, close: () => server.close() };
}

test("a payout is paid, and its webhook arrives with a valid signature", async () => {
  const sandbox = await createSandbox({ seed: 7, start: "2026-11-23T09:00:00-03:00" });
  const acme = sandbox.company("acme");
  const receiver = await openReceiver(acme.webhookSecret);
  try {
    await sandbox.sendWebhooksTo(receiver.url);
    const { id } = await sandbox.call("createPayout", {
      externalId: "payout-1",
      accountId: acme.account,
      paymentMethod: "PIX",
      paymentData: { pixKey: "ok@pix.example" },
      amount: { currency: "BRL", value: "10.00" },
      description: "A first payout",
    });
    await sandbox.advance("PT1M");
    assert.equal((await sandbox.resource("payouts", id)).status, "PAID");
    assert.deepEqual(
      receiver.events.map(({ event, status }) => [event, status]),
      [["ORDER-PAYOUT.PAID", "PAID"]],
    );
  } finally {
    await sandbox.close();
    receiver.close();
  }
});
`;
}
