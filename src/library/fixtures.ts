/** Exports the companies, accounts and bodies of a new world. */
export type { CompanyFixture, Fixtures } from "../platform/seed.ts";
export { loadFixtures, SHIPPED_FIXTURES } from "../worlds/fixture-files.ts";
