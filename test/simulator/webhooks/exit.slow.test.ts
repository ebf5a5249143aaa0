import { expect, test } from "vitest";
import { fileURLToPath } from "node:url";
import { once } from "node:events";
import { spawn } from "node:child_process";
import { answering } from "./loopback.ts";

test("a process whose attempts are complete exits by itself", async () => {
  await using receiver = await answering("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nendless");
  const source = fileURLToPath(new URL("../../../src/simulator/webhooks/", import.meta.url));
  const script = `
    import { sendWebhook } from ${JSON.stringify(`${source}wire.ts`)};
    import { createEgress } from ${JSON.stringify(`${source}egress-guard.ts`)};
    const request = { url: ${JSON.stringify(receiver.url)}, headers: {}, body: Buffer.from("{}"), deadlineMs: 1000 };
    console.log((await sendWebhook(request, createEgress())).status);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], { stdio: "pipe" });
  const output: string[] = [];
  child.stdout.on("data", (text) => output.push(String(text)));
  const [exitCode] = (await once(child, "close")) as [number];
  expect({ exitCode, output: output.join("") }).toEqual({ exitCode: 0, output: "200\n" });
});
