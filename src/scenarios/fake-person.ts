import { faker } from "@faker-js/faker/locale/pt_BR";
import { inventCpf } from "../simulator/countries/brazil/documents.ts";
import { seededChance } from "../simulator/engine/random.ts";
import type { FakePerson } from "../server/access/sandbox-interface.ts";

/** Area codes of large cities. */
const AREA_CODES = ["11", "21", "31", "41", "51", "61", "71", "81", "85", "91"];

/**
 * Makes the person of `${fake.person}`: the same for the same seed and number of the use. The document has right check
 * digits, the e-mail address is of a domain that is reserved for examples, the phone number is written as in E.164.
 */
export function fakePerson(seed: number, use: number): FakePerson {
  faker.seed([seed, use]);
  const [firstName, lastName] = [faker.person.firstName(), faker.person.lastName()];
  return {
    name: `${firstName} ${lastName}`,
    document: { type: "CPF", number: inventCpf(seededChance(seed, `fake.person ${use}`)) },
    email: faker.internet.exampleEmail({ firstName, lastName }).toLowerCase(),
    phone: `+55${faker.helpers.arrayElement(AREA_CODES)}9${faker.string.numeric(8)}`,
  };
}
