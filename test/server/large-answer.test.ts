import { expect, test } from "vitest";
import { largeAnswer } from "../../src/server/large-answer.ts";

const item = { text: "x".repeat(1_000), list: [1, null], missing: undefined };

for (const [what, body] of Object.entries({
  "no field": {},
  "an empty list": { data: [] },
  "a short list": { data: [item, undefined], next: 3 },
  "a long list": { data: Array.from({ length: 2_000 }, () => item), next: null, left: undefined },
  "two long lists": {
    entries: Array.from({ length: 900 }, () => item),
    accounts: Array.from({ length: 900 }, () => "é"),
  },
}))
  test(`an answer with ${what} is the same JSON, written in pieces where it is long`, async () => {
    const answer = await largeAnswer({ now: 0 }, body, undefined);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(await answer.text()).toBe(JSON.stringify(body));
  });

test("a long answer is written as far as the client takes it", async () => {
  let written = 0;
  const counted = { toJSON: () => ((written += 1), "x".repeat(10_000)) };
  const answer = await largeAnswer(
    { now: 0 },
    { data: Array.from({ length: 1_000 }, () => counted) },
    undefined,
  );
  const reader = answer.body!.getReader();
  await reader.read();
  expect(written).toBeLessThan(100);
  await reader.cancel();
});
