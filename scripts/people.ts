import { faker } from "@faker-js/faker/locale/pt_BR";
import { inventCpf } from "../src/countries/brazil/documents.ts";
import { seededChance } from "../src/engine/random.ts";

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
