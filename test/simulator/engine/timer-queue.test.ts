import { expect, test } from "vitest";
import { type Timer, TimerQueue } from "../../../src/simulator/engine/timers.ts";
import fc from "fast-check";

const timer = (due: number, order: number): Timer => ({
  id: String(order),
  due,
  order,
  kind: "any",
  owner: String(order),
  input: null,
  armedBy: 1,
});

test("timers are ordered by due time and then by arming order, in whatever order they are added", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 })), (dues) => {
      const queue = new TimerQueue(dues.map(timer));
      const out: Timer[] = [];
      for (let next = queue.peek(); next !== undefined; next = queue.peek()) {
        out.push(next);
        queue.pop();
      }
      const sorted = dues
        .map(timer)
        .toSorted((left, right) => left.due - right.due || left.order - right.order);
      expect(out).toEqual(sorted);
    }),
  );
});
