import { causeTable } from "../../../src/checks/explore/cause-table.ts";
import { expect, test } from "vitest";

test("each code has its stored sentences", async () => {
  const lines = Object.values(causeTable)
    .map(({ code, text }) => `${code}: ${text}`)
    .toSorted();
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("./causes.txt");
});

test("a code is a short name in lower case, and each sentence has a cause and a remedy", () => {
  for (const { code, text } of Object.values(causeTable)) {
    expect(code).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
    expect(text.split(/(?<=[.?]) /).length).toBeGreaterThan(1);
  }
});
