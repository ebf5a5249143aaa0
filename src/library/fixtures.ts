/** The companies, accounts and bodies with which a world begins. */
export type { CompanyFixture, Fixtures } from "../platform/seed.ts";
export { loadFixtures, SHIPPED_FIXTURES } from "../worlds/fixture-files.ts";
