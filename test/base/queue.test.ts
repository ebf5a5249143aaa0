import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { Queue } from "../../src/base/queue.ts";
import { processorMs } from "../processor-time.ts";

describe("a queue", () => {
  test("gives its items in the order in which they came", () => {
    const steps = fc.array(fc.option(fc.integer(), { nil: "take" as const, freq: 2 }));
    fc.assert(
      fc.property(steps, (taken) => {
        const queue = new Queue<number>();
        const model: number[] = [];
        for (const step of taken) {
          const [one, other] =
            step === "take"
              ? [queue.shift(), model.shift()]
              : [queue.push(step), model.push(step) && undefined];
          expect(one).toBe(other);
          expect(queue.length).toBe(model.length);
          expect(queue.first).toBe(model[0]);
          expect([...queue]).toEqual(model);
        }
      }),
    );
  });

  // The same with an array takes more than ten times as long as is allowed here.
  test("is emptied in a time that grows with its length alone", () => {
    const queue = new Queue<number>();
    for (let item = 0; item < 400_000; item++) queue.push(item);
    const before = processorMs();
    while (queue.length > 0) queue.shift();
    expect(processorMs() - before).toBeLessThan(1_000);
  });
});
