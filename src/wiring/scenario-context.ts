import type { ScenarioContext } from "../scenarios/context.ts";
import { assumptions } from "../platform/assumptions/assumptions.ts";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadFixtures, SHIPPED_FIXTURES } from "../fixtures/load-fixtures.ts";
import { operations } from "../interface/operations.ts";
import { parse as parseYaml } from "yaml";
import { readAssumption } from "../platform/assumptions/reading.ts";

type Bodies = Readonly<Record<string, unknown>>;

const BODIES = "bodies.yaml";

/** What scenario files of this sandbox may name: its operations, its assumptions and the bodies that ship. */
export function scenarioContext(): ScenarioContext {
  const shipped = bodiesIn(SHIPPED_FIXTURES);
  return {
    operations,
    fixtures: shipped,
    fixturesIn: (folder) => ownFixtures(folder, shipped),
    assumptions: Object.keys(assumptions),
    checkAssumption: (id, value) => {
      const read = readAssumption(id, value);
      return "mistake" in read ? read.mistake : undefined;
    },
  };
}

/** A folder's own bodies beside those that ship; the folder has to be one that a world can start from. */
function ownFixtures(folder: string, shipped: Bodies): { fixtures: Bodies } | { mistake: string } {
  try {
    loadFixtures(folder);
    return existsSync(join(folder, BODIES))
      ? { fixtures: { ...shipped, ...bodiesIn(folder) } }
      : { fixtures: shipped };
  } catch (error) {
    return { mistake: (error as Error).message };
  }
}

function bodiesIn(folder: string): Bodies {
  return parseYaml(readFileSync(join(folder, BODIES), "utf8"), { merge: true }) as Bodies;
}
