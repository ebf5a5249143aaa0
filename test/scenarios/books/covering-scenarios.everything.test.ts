import { expect, test } from "vitest";
import { globSync, readFileSync } from "node:fs";
import { BOOKS, openPlayedBooks, tracesIn } from "./played-books.ts";
import { coveringScenarios } from "../../scenario-runs.ts";
import { failureLines } from "../../../src/scenarios/result.ts";

/** Scenarios, by file and name, that no partner can keep right books of from what it is told, with the reason. */
const UNTOLD: readonly (readonly [file: RegExp, name: RegExp, why: string])[] = [
  [/what-no-platform-does/, /./, "an event has a wrong amount on purpose"],
  [/paying-another-companys-order/, /./, "both companies send their webhooks to the one partner"],
  [/dynamic-code-paid-twice/, /./, "both companies send their webhooks to the one partner"],
  [/comes-back/, /silent/, "no event tells that money came back"],
];

/** Scenarios that script the built-in receiver: the webhooks go to the partner's. */
const SCRIPTED = new Set([
  "scenarios/faults/bad-signatures.yaml",
  "scenarios/faults/tampered-in-transit.yaml",
  "scenarios/states/event-was-not-delivered.yaml",
  "scenarios/stories/rotated-during-an-outage.yaml",
  "scenarios/webhooks/old-secret-signs-on.yaml",
  "scenarios/webhooks/receiver-fails-twice.yaml",
  "scenarios/webhooks/receiver-never-acknowledges.yaml",
  "scenarios/webhooks/secret-rotated-between-attempts.yaml",
  "scenarios/webhooks/undelivered-then-resent.yaml",
]);

test("a right partner agrees with the ledger through scenarios in which everything happens, as far as it can play them", async () => {
  await using partner = await openPlayedBooks();
  const wrong: string[] = [];
  const untold = new Set<string>();
  const skipped = new Set<string>();
  const untoldOrScripted = globSync("scenarios/**/*.yaml").filter(
    (file) => SCRIPTED.has(file) || UNTOLD.some(([path]) => path.test(file)),
  );
  const files = new Set([...untoldOrScripted, ...coveringScenarios().map(({ file }) => file)]);
  for (const file of [...files].toSorted()) {
    const text = readFileSync(file, "utf8");
    // The partner has done its work when it answers.
    const probed = `${text}\nprobe:\n  url: ${partner.url}/books\n  settle: PT0S\n  books: ${JSON.stringify(BOOKS)}\n`;
    for (const result of await partner.play(probed, file)) {
      const { failure, status, name, booksCompared = 0 } = result;
      const known = UNTOLD.find(([path, called]) => path.test(file) && called.test(name));
      if (status === "skipped") skipped.add(file);
      else if (failure !== undefined && known !== undefined) untold.add(known[2]);
      else if (failure !== undefined) wrong.push([`${file} ${name}`, ...failureLines(failure)].join("\n"));
      else if (booksCompared === 0) wrong.push(`${file} ${name}: the books were never compared`);
      if (known === undefined) wrong.push(...tracesIn(result).map((found) => `${file} ${found}`));
    }
  }
  expect(wrong).toEqual([]);
  expect(skipped).toEqual(SCRIPTED);
  expect(untold).toEqual(new Set(UNTOLD.map(([, , why]) => why)));
}, 300_000);
