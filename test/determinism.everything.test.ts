import { expect, test } from "vitest";
import { comparedSessions, COURSES, FAULTS } from "./equal-sessions.ts";

const courses = Object.keys(COURSES);

/** Each fault with the courses that determinism.test.ts does not play with it. */
const CASES = Object.entries(FAULTS).map(
  ([name, faults], index) =>
    [name, courses.filter((_, place) => place !== index % courses.length), faults] as const,
);

test.each(CASES)(
  "every transport, receiver and reader causes the same answers and journal, which replays: %s, %j",
  async (_name, others, faults) => {
    const { found, expected } = await comparedSessions(faults, others);
    expect(found).toEqual(expected);
  },
);
