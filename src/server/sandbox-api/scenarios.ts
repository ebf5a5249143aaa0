import type { World } from "../../worlds/world.ts";
import { foundValue } from "../../api/found-value.ts";
import { commonHeaders } from "../answer.ts";
import { isRecord } from "../../engine/json.ts";
import { Places } from "../../worlds/world-limits.ts";
import { streamOf } from "../large-answer.ts";
import { unavailable } from "../unavailable.ts";
import { suggestion } from "../../engine/suggestion.ts";
import {
  type ControlRoutes,
  type ServerRequest,
  created,
  readSeed,
  refuse,
  refuseOthers,
  refuseProblems,
  refuseUnknown,
} from "./control.ts";

/** A scenario file by its name, with its text; `file` is where it ships, null for one that was posted. */
export interface StoredScenario {
  readonly name: string;
  readonly description: string | null;
  readonly file: string | null;
  readonly text: string;
}

/** The scenarios that a server can run. */
export interface ScenarioStore {
  all(): Promise<readonly StoredScenario[]>;
  get(name: string): Promise<StoredScenario | undefined>;
  add(
    text: string,
  ): Promise<
    | { readonly scenario: StoredScenario }
    | { readonly mistakes: readonly { line: number; column: number; message: string }[] }
    | { readonly full: string }
  >;
  run(
    scenario: StoredScenario,
    inputs: { readonly seed?: number; readonly params?: Readonly<Record<string, unknown>> },
  ): Promise<{ readonly report: object } | { readonly mistakes: readonly { readonly message: string }[] }>;
}

/** What the endpoints below leave to other modules. */
export interface ScenarioOptions {
  /** The history of a world as a scenario file. */
  readonly recordingOf: (world: World) => Promise<AsyncIterator<string>>;
  /** The scenarios that can be run; opened at the first request that needs them. */
  readonly openScenarios: () => Promise<ScenarioStore>;
}

/** Recordings that are written at a time, of one world and of all: each has the ids of the whole session in memory. */
const RECORDINGS = { perWorld: 4, shared: 16, reserved: 1 };
const TOO_MANY_RECORDINGS = `${RECORDINGS.perWorld} recordings of one world, or ${RECORDINGS.shared} of all, are being written or are not read to the end, which is the limit. Send the request again in a second.`;

/** Scenario files: those that can be run here, and the recording of a world as one. */
export function scenarioRoutes({ recordingOf, openScenarios }: ScenarioOptions): ControlRoutes {
  const recordings = new Places(RECORDINGS);
  let opened: Promise<ScenarioStore> | undefined;
  const store = (): Promise<ScenarioStore> => (opened ??= openScenarios());
  return {
    "GET /scenarios": {
      summary: "List the scenarios that can be run",
      answerServer: async () => listScenarios(await store()),
    },
    "POST /scenarios": {
      summary: "Add a scenario",
      answerServerText: async (request) => created(request, await addScenario(await store(), request.text)),
    },
    "GET /scenarios/:name{.+}": {
      summary: "Show the text of a scenario",
      answerServer: async ({ params }) => scenarioOf(await store(), params["name"] ?? ""),
    },
    "POST /scenarios/:name{.+}/run": {
      summary: "Run a scenario in a new world",
      answerServer: async (request) => runScenario(await store(), request),
    },
    "GET /recording": {
      summary: "Show the history of the world as a scenario file",
      answer: async ({ world }) => {
        const place = recordings.take(world.id);
        if (typeof place === "string") return unavailable(world, TOO_MANY_RECORDINGS, { "retry-after": "1" });
        const text = await recordingOf(world).catch((error: unknown) => {
          place();
          throw error;
        });
        const headers = { "content-type": "application/yaml; charset=utf-8", "cache-control": "no-store" };
        return new Response(streamOf(text, { ended: place }), {
          headers: { ...headers, ...commonHeaders(world) },
        });
      },
    },
  };
}

/** The shipped and the posted scenarios. */
async function listScenarios(store: ScenarioStore): Promise<object> {
  return { data: (await store.all()).map(({ name, description, file }) => ({ name, description, file })) };
}

/** Adds a scenario file, or its text in JSON as `{text}`. Reports every mistake with its place. */
async function addScenario(store: ScenarioStore, text: string): Promise<object> {
  const added = await store.add(textOf(text));
  if ("full" in added)
    refuse("scenarios", `${added.full} Post it under the name of an existing one.`, "LIMIT");
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
  return { name, description, file };
}

/** `{seed?, params?}`: answers with the json report of `sandbank run`. */
async function runScenario(store: ScenarioStore, { params, body }: ServerRequest): Promise<object> {
  const { seed, params: given } = body;
  refuseOthers(body, ["seed", "params"]);
  if (given !== undefined && !isRecord(given))
    refuse("params", `params must be an object of values by name; found ${foundValue(given)}.`);
  const outcome = await store.run(await scenarioOf(store, params["name"] ?? ""), {
    ...(seed !== undefined && { seed: readSeed(seed) }),
    ...(isRecord(given) && { params: given }),
  });
  if ("report" in outcome) return outcome.report;
  return refuse("params", outcome.mistakes.map(({ message }) => message).join(" "));
}

async function scenarioOf(store: ScenarioStore, name: string): Promise<StoredScenario> {
  const found = await store.get(name);
  if (found !== undefined) return found;
  const names = (await store.all()).flatMap((one) => [
    one.name,
    one.file?.replace(/\.yaml$/, "") ?? one.name,
  ]);
  const meant = suggestion(name, names, { quote: '"' });
  return refuseUnknown(`There is no scenario "${name.slice(0, 200)}". ${meant}`);
}

/** JSON is YAML, so a scenario may be sent as JSON too; the text of an object with nothing but a text is unpacked. */
function textOf(sent: string): string {
  try {
    const { text, steps } = JSON.parse(sent) as { text?: unknown; steps?: unknown };
    return typeof text === "string" && steps === undefined ? text : sent;
  } catch {
    return sent;
  }
}
