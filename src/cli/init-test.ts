import { existsSync, readFileSync } from "node:fs";
import { FileMistakes } from "../process/failures.ts";
import { join } from "node:path";

/** The package.json of a project. */
export interface Project {
  readonly folder: string;
  readonly path: string;
  readonly text: string;
  /** Undefined if there is none. */
  readonly json: PackageJson | undefined;
}

interface PackageJson {
  readonly type?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export function readProject(folder: string): Project {
  const path = join(folder, "package.json");
  if (!existsSync(path)) return { folder, path, text: "", json: undefined };
  const text = readFileSync(path, "utf8");
  try {
    return { folder, path, text, json: JSON.parse(text) as PackageJson };
  } catch (error) {
    throw new FileMistakes(`${path}: ${(error as Error).message}. Correct it, or name another folder.`);
  }
}

interface FirstTest {
  readonly name: string;
  readonly text: string;
  /** What runs it. */
  readonly command: string;
}

/** A first test for the runner of a project, in TypeScript if the project uses that and the runner reads it. */
export function firstTest({ folder, json }: Project): FirstTest {
  const packages = { ...json?.dependencies, ...json?.devDependencies };
  const isIn = (name: string): boolean =>
    name in packages || new RegExp(`\\b${name}\\b`).test(json?.scripts?.["test"] ?? "");
  const isTyped = "typescript" in packages || existsSync(join(folder, "tsconfig.json"));
  if (isIn("vitest")) {
    const name = `test/sandbank.test.${isTyped ? "ts" : "mjs"}`;
    return { name, text: testText("vitest", isTyped), command: `npx vitest run ${name}` };
  }
  if (isIn("jest")) {
    // Jest reads ES modules only with this option, and TypeScript only with a transformer that is set up for them.
    const name = `test/sandbank.test.${json?.type === "module" ? "js" : "mjs"}`;
    const command = `NODE_OPTIONS=--experimental-vm-modules npx jest ${name}`;
    return { name, text: testText("@jest/globals", false), command };
  }
  const name = `test/sandbank.test.${isTyped ? "mts" : "mjs"}`;
  return { name, text: testText("node:test", isTyped), command: `node --test ${name}` };
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
