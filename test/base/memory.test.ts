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

/** Reads the memory in a process that thinks it is in a container with a limit. */
function inContainer(megabytes: number): { readonly keptMb: number; readonly name: string } {
  const code = `process.constrainedMemory = () => ${megabytes * 1_048_576};
    const { memory } = await import(${JSON.stringify(MODULE)});
    console.log(JSON.stringify({ keptMb: memory.keptBytesMax / 1_048_576, name: memory.limit.name }))`;
  const flags = ["--max-old-space-size=2048", "--input-type=module", "--eval", code];
  return JSON.parse(execFileSync(process.execPath, flags, { encoding: "utf8" })) as ReturnType<
    typeof inContainer
  >;
}

test.each([128, 256, 512])("in a container of %i MB less is kept, and the limit is named", (megabytes) => {
  const { keptMb, name } = inContainer(megabytes);
  // Code, buffers and garbage take about 80 MB.
  expect(keptMb).toBeLessThan(megabytes - 80);
  expect(name).toBe(`memory of ${megabytes} MB that this container may use`);
});

test.each([0, 2 ** 44])("a container without a limit, shown as %d MB, has the limit of Node", (megabytes) => {
  const { keptMb, name } = inContainer(megabytes);
  expect(keptMb).toBeGreaterThan(1_024);
  expect(name).not.toContain("container");
});
