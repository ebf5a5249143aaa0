import { expect, test } from "vitest";
import { actsFrom } from "../../../src/simulator/engine/lifecycle.ts";
import { acts, lifecycles } from "../../../src/simulator/platform/catalog.ts";

test("every act that a table names exists", () => {
  const named = lifecycles.flatMap((lifecycle) =>
    lifecycle.states.flatMap((state) => actsFrom(lifecycle, state)),
  );
  expect(named.filter((act) => !acts.has(act))).toEqual([]);
});

test.each(lifecycles)(
  "a $resource says how it ended in each final state",
  ({ states, transitions, ends = {} }) => {
    const final = states.filter(
      (state) => !transitions.some(({ from, to }) => from.includes(state) && to !== state),
    );
    expect(final.filter((state) => ends[state] === undefined)).toEqual([]);
    expect(Object.keys(ends).filter((state) => !states.includes(state))).toEqual([]);
  },
);

for (const lifecycle of lifecycles) {
  test(`every state of a ${lifecycle.resource} can be reached, and no action has two rows for one state`, () => {
    const { initial, states, transitions } = lifecycle;
    const reached = new Set([initial]);
    for (let size = 0; size !== reached.size;) {
      size = reached.size;
      for (const { from, to } of transitions) if (from.some((state) => reached.has(state))) reached.add(to);
    }
    expect(states.filter((state) => !reached.has(state))).toEqual([]);
    for (const state of states) {
      const taken = transitions.filter(({ from }) => from.includes(state)).map(({ action }) => action);
      expect(new Set(taken).size).toBe(taken.length);
    }
  });
}
