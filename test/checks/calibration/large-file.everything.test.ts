import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { join } from "node:path";
import { once } from "node:events";
import { spawn } from "node:child_process";
import { storyOf, trafficOf } from "./traffic.ts";
import { text } from "node:stream/consumers";
import { tmpdir } from "node:os";

test("a file of 200 MB is read in bounded memory", { timeout: 300_000 }, async () => {
  const story = storyOf("- call: createPayout\n  body: { $use: payout.pix }\n- advance: PT1M");
  const { entries } = await trafficOf(story);
  const folder = mkdtempSync(join(tmpdir(), "sandbank-large-"));
  const path = join(folder, "large.har");
  const file = createWriteStream(path);
  file.write('{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[');
  const other = (index: number): unknown => ({
    startedDateTime: new Date(index).toISOString(),
    time: 1,
    request: { method: "GET", url: `https://cdn.example/${index}`, headers: [] },
    response: { status: 200, headers: [], content: { text: "x".repeat(20_000) } },
  });
  const whole = entries.map((entry) => JSON.stringify(entry)).join(",");
  for (let bytes = 0, index = 0; bytes < 200_000_000; index++) {
    const text = `${index === 0 ? "" : ","}${index % 2 === 0 ? whole : JSON.stringify(other(index))}`;
    bytes += text.length;
    if (!file.write(text)) await once(file, "drain");
  }
  file.end("]}}");
  await once(file, "finish");
  const child = spawn(process.execPath, ["--max-old-space-size=256", "src/cli/main.ts", "calibrate", path], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  rmSync(folder, { recursive: true });
  expect(err).toMatch(/^(?:Reading large\.har: \d+ % of all\n)*$/);
  expect(child.exitCode).toBe(0);
  expect(out).toMatch(/^\d+ assumptions: \d+ confirmed/);
});
