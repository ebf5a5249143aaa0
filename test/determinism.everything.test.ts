import { expect, test } from "vitest";
import { comparedSessions, COURSES, FAULTS } from "./equal-sessions.ts";

test.each(Object.entries(FAULTS))(
  "every transport, receiver and reader causes the same answers and journal, which replays: %s",
  async (_name, faults) => {
    const { found, expected } = await comparedSessions(faults, Object.keys(COURSES));
    expect(found).toEqual(expected);
  },
);
