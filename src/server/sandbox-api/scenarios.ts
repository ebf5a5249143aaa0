import type { ControlRequest } from "./control.ts";
import { foundValue } from "../../api/found-value.ts";
import { suggestion } from "../../engine/suggestion.ts";
import { SEED_MAX } from "../../engine/random.ts";
import { Created, refuse, refuseOthers, refuseProblems, refuseUnknown } from "./control.ts";

interface Shelved {
  readonly name: string;
  readonly description: string | null;
  readonly file: string | null;
  readonly text: string;
}

/** The scenarios a server can run, which live in a room of their own. */
export interface ScenarioShelf {
  all(): readonly Shelved[];
  get(name: string): Shelved | undefined;
  add(
    text: string,
  ):
    | { readonly scenario: Shelved }
    | { readonly mistakes: readonly { line: number; column: number; message: string }[] }
    | { readonly full: string };
  run(
    scenario: Shelved,
    inputs: { readonly seed?: number; readonly params?: Readonly<Record<string, unknown>> },
  ): Promise<{ readonly report: object } | { readonly mistakes: readonly { readonly message: string }[] }>;
}

/** `GET /sandbox/scenarios`: those that ship and those that were posted. */
export function listScenarios(shelf: ScenarioShelf): object {
  return { data: shelf.all().map(({ name, description, file }) => ({ name, description, file })) };
}

/** `GET /sandbox/scenarios/{name}`: one with its text. */
export function showScenario(shelf: ScenarioShelf, { params }: ControlRequest): object {
  return scenarioOf(shelf, params["name"] ?? "");
}

/** `POST /sandbox/scenarios`: a scenario file as it stands, or in JSON as `{text}`. Tells every mistake with its place. */
export function addScenario(shelf: ScenarioShelf, text: string): Created {
  const added = shelf.add(textOf(text));
  if ("full" in added) refuse("scenarios", `${added.full} Post it under the name of another.`);
  if ("mistakes" in added) {
    refuseProblems(
      added.mistakes.map(({ line, column, message }) => ({
        field: `line ${line}, column ${column}`,
        issue: "INVALID",
        description: message,
        line,
        column,
      })),
    );
    throw new Error("a scenario was refused without a mistake");
  }
  const { name, description, file } = added.scenario;
  return new Created({ name, description, file });
}

/** `POST /sandbox/scenarios/{name}/run` `{seed?, params?}`: what the json report of `sandbank run` tells. */
export async function runScenario(shelf: ScenarioShelf, { params, body }: ControlRequest): Promise<object> {
  const { seed, params: given } = body;
  refuseOthers(body, ["seed", "params"]);
  const isSeed = typeof seed === "number" && Number.isInteger(seed) && seed >= 0 && seed <= SEED_MAX;
  if (seed !== undefined && !isSeed)
    refuse("seed", `seed must be a whole number from 0 to ${SEED_MAX}; found ${foundValue(seed)}.`);
  if (given !== undefined && !isObject(given))
    refuse("params", `params must be an object of values by their names; found ${foundValue(given)}.`);
  const outcome = await shelf.run(scenarioOf(shelf, params["name"] ?? ""), {
    ...(isSeed && { seed }),
    ...(isObject(given) && { params: given }),
  });
  if ("report" in outcome) return outcome.report;
  return refuse("params", outcome.mistakes.map(({ message }) => message).join(" "));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function scenarioOf(shelf: ScenarioShelf, name: string): Shelved {
  const found = shelf.get(name);
  if (found !== undefined) return found;
  const names = shelf.all().flatMap((one) => [one.name, one.file?.replace(/\.yaml$/, "") ?? one.name]);
  const meant = suggestion(name, names, { quote: '"' });
  return refuseUnknown(`There is no scenario "${name.slice(0, 200)}". ${meant}`);
}

/** JSON is YAML, so a scenario may come as JSON too; an object with nothing but its text is unpacked. */
function textOf(sent: string): string {
  try {
    const { text, steps } = JSON.parse(sent) as { text?: unknown; steps?: unknown };
    return typeof text === "string" && steps === undefined ? text : sent;
  } catch {
    return sent;
  }
}
