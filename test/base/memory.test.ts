import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

/** V8 ends a process that uses more of its old space, if its garbage collections free little. */
const GIVES_UP = 0.8;

const MODULE = join(import.meta.dirname, "../../src/base/memory.ts");

test.each([64, 150, 600, 2_048])("of %i megabytes less is kept than V8 gives up at", (heapMb) => {
  const code = `import { memory } from ${JSON.stringify(MODULE)}; console.log(memory.keptBytesMax)`;
  const flags = [`--max-old-space-size=${heapMb}`, "--input-type=module", "--eval", code];
  const keptMb = Number(execFileSync(process.execPath, flags, { encoding: "utf8" })) / 1_048_576;
  // A body of a few megabytes is parsed besides.
  expect(keptMb).toBeLessThan(GIVES_UP * heapMb - 5);
  expect(keptMb).toBeGreaterThan(heapMb / 2);
});
