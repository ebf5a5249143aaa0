import { type CauseCode, causeTexts } from "../../../src/checks/cause-texts.ts";
import { expect, test } from "vitest";
import { type KindName, kindsNamed } from "../../../src/checks/explore/deviations.ts";
import { rows } from "../../../src/checks/explore/causes.ts";

test("each code has its stored sentences", async () => {
  const lines = Object.entries(causeTexts)
    .map(([code, text]) => `${code}: ${text}`)
    .toSorted();
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("./causes.txt");
});

test("a code is a short name in lower case, and each sentence has a cause and a remedy", () => {
  for (const [code, text] of Object.entries(causeTexts)) {
    expect(code).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
    expect(text.split(/(?<=[.?]) /).length).toBeGreaterThan(1);
  }
});

test("every code has a row, but the code of the books", () => {
  const named = new Set(rows.map(([, , cause]) => cause));
  expect(Object.keys(causeTexts).filter((code) => !named.has(code as CauseCode))).toEqual(["books-differ"]);
});

test("each row can be reached: no row before it fits whenever it fits", () => {
  const all = (names: readonly KindName[]) => names.flatMap((name) => kindsNamed(name) ?? []);
  for (const [index, [kinds, observed]] of rows.entries()) {
    const hidden = rows
      .slice(0, index)
      .filter(
        ([others, needed]) =>
          needed.every((one) => observed.includes(one)) &&
          (others.length === 0 ||
            (kinds.length > 0 && all(kinds).every((kind) => all(others).includes(kind)))),
      );
    expect([rows[index], hidden]).toEqual([rows[index], []]);
  }
});
