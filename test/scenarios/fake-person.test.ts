import { expect, test } from "vitest";
import type { OpenWorld } from "../../src/scenarios/world.ts";
import { formatMistake } from "../../src/base/yaml-file.ts";
import { isCpf } from "../../src/simulator/countries/brazil/documents.ts";
import { openCounterWorld } from "./counter-service.ts";
import { parseScenario } from "../../src/scenarios/parse.ts";
import { pixKeyType } from "../../src/simulator/countries/brazil/pix-keys.ts";
import { runScenario } from "../../src/scenarios/run.ts";
import { scenarioContext } from "../../src/scenarios/context.ts";

const RETURNS = "{ one: '${fake.person}', other: '${ fake.person }', text: 'to ${fake.person.email}' }";

function parsed(returns: string, seed = 7) {
  const text = `state: somebody\nseed: ${seed}\nreturns: ${returns}\nsteps:\n  - advance: PT0S\n`;
  return parseScenario(text, "a.yaml", scenarioContext());
}

interface Person {
  readonly name: string;
  readonly document: { readonly type: string; readonly number: string };
  readonly email: string;
  readonly phone: string;
}

async function people(seed?: number) {
  const [scenario] = parsed(RETURNS, seed).scenarios;
  const openWorld: OpenWorld = async (options) => openCounterWorld(options);
  const { returns } = await runScenario(scenario!, { openWorld });
  return returns as { readonly one: Person; readonly other: Person; readonly text: string };
}

test("an invented person has a name, a document with right check digits, an e-mail address and a phone", async () => {
  const { one, other, text } = await people();
  expect(one.name).toMatch(/^\S+ \S/);
  expect(one.document.type).toBe("CPF");
  expect(isCpf(one.document.number)).toBe(true);
  expect(one.email).toMatch(/@example\.(com|net|org)$/);
  expect([pixKeyType(one.email), pixKeyType(one.phone)]).toEqual(["EMAIL", "PHONE"]);
  expect(other).not.toEqual(one);
  expect(text).toMatch(/^to \S+@example/);
});

test("the same seed invents the same people, another seed others", async () => {
  expect(await people(7)).toEqual(await people(7));
  expect((await people(8)).one).not.toEqual((await people(7)).one);
});

test.each([
  ["${fake.person.emial}", "a person has no `emial`. Did you mean `email`?"],
  ["${fake.company}", "`fake` has only `${fake.person}`"],
  ["${fake}", "`fake` has only `${fake.person}`"],
])("%s is a mistake of the file", (text, message) => {
  const { mistakes } = parsed(`{ one: '${text}' }`);
  expect(mistakes.map(formatMistake).join("\n")).toContain(message);
});
