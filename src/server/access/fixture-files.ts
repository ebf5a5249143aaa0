import { readUserText } from "../../base/user-file.ts";
import type { CompanyFixture, Fixtures, PixKeyFixture } from "../../simulator/platform/seed.ts";
import type { KnownPayer, Person } from "../../simulator/platform/payers/payer.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { UsageError } from "../../base/failures.ts";

/** The fixtures of the package, in a checkout and in an installed package. */
export const SHIPPED_FIXTURES = fileURLToPath(new URL("../../../fixtures/", import.meta.url));

/** The shipped fixtures. They never change, so all sandboxes of a process share them. */
let shipped: Fixtures | undefined;

/**
 * Reads a folder of fixtures. If the folder lacks a file, the shipped file is used, so a folder may contain only its
 * own companies.
 */
export function loadFixtures(folder: string = SHIPPED_FIXTURES): Fixtures {
  if (folder === SHIPPED_FIXTURES && shipped !== undefined) return shipped;
  if (!existsSync(folder)) {
    throw new UsageError(
      `Failed to read the fixtures ${folder}: the folder does not exist. Name an existing folder.`,
    );
  }
  const fixtures = {
    companies: read(folder, "companies.json") as CompanyFixture[],
    knownPayers: read(folder, "known-payers.json") as KnownPayer[],
    // All worlds share these records: there are many.
    randomPeople: (read(folder, "people.json") as Person[]).map((person, index) => ({
      id: String(index),
      ...person,
    })),
    depositBanks: read(folder, "deposit-banks.json") as Fixtures["depositBanks"],
    cards: read(folder, "cards.json") as Fixtures["cards"],
    pixKeys: read(folder, "pix-keys.json") as PixKeyFixture[],
  };
  if (folder === SHIPPED_FIXTURES) shipped = fixtures;
  return fixtures;
}

function read(folder: string, file: string): unknown {
  const path = join(folder, file);
  try {
    return JSON.parse(readUserText(path)) as unknown;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && folder !== SHIPPED_FIXTURES) return read(SHIPPED_FIXTURES, file);
    throw new UsageError(`Failed to read the fixtures ${path}: ${message}. Fix the file, or leave it out.`);
  }
}
