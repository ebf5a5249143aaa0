import { faker } from "@faker-js/faker/locale/pt_BR";
import { cnpjFrom, inventCpf } from "../src/simulator/countries/brazil/documents.ts";
import { readFileSync } from "node:fs";
import { seededChance } from "../src/simulator/engine/random.ts";

const PEOPLE = 200;

/**
 * The people of `fixtures/people.json`, invented once and for all: worlds draw from them, so a world needs no
 * dictionary of names at start and the same seed always meets the same people.
 */
export function people(): string {
  faker.seed(PEOPLE);
  const chance = seededChance(PEOPLE, "people");
  const invented = Array.from({ length: PEOPLE }, () => ({
    name: faker.person.fullName(),
    document: { type: "CPF", number: inventCpf(chance) },
  }));
  return `${JSON.stringify(invented, null, 2)}\n`;
}

interface KeyFixture {
  readonly key: string;
  readonly owner?: object;
}

/** Keys of people and companies outside the sandbox: their owners are invented too. */
const OUTSIDE_KEY = /@pix[.]example$/;

/** Who owns the keys of `fixtures/pix-keys.json` that belong to nobody of the fixtures: one person, and one company. */
export function pixKeys(): string {
  faker.seed(PEOPLE + 1);
  const chance = seededChance(PEOPLE, "key owners");
  const person = { name: faker.person.fullName(), document: { type: "CPF", number: inventCpf(chance) } };
  const company = {
    name: faker.company.name(),
    document: { type: "CNPJ", number: cnpjFrom(`${chance.text("0123456789", 8)}0001`) },
  };
  const fixtures = JSON.parse(readFileSync("fixtures/pix-keys.json", "utf8")) as KeyFixture[];
  const owned = fixtures.map((fixture) => {
    if (!OUTSIDE_KEY.test(fixture.key)) return fixture;
    return { ...fixture, owner: fixture.key.startsWith("other-owner@") ? company : person };
  });
  return JSON.stringify(owned);
}
