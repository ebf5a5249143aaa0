import {
  type Endpoint,
  type World,
  refuse,
  refuseAll,
  refuseUnknown,
  Reply,
  pathParameter,
} from "../server/control/endpoint.ts";
import type { ScenarioLibrary } from "./scenario-library.ts";
import type { ScenarioText } from "./scenario-jobs.ts";
import { suggestion } from "../simulator/engine/suggestion.ts";

/** The parts that the endpoints below leave to other modules. */
export interface ScenarioOptions {
  /** The history of a world as a scenario file. */
  readonly recordingOf: (world: World) => Promise<AsyncIterator<string>>;
  /** Opens the scenarios that can be run, at the first request for them. */
  readonly openScenarios: () => Promise<ScenarioLibrary>;
}

/** The limits for simultaneous recordings, of one world and of all. Each has the ids of its session in memory. */
const RECORDINGS = {
  perWorld: 4,
  shared: 16,
  reserved: 1,
  refusal:
    "The limit is reached: 4 recordings of one world, or 16 of all worlds, are not read to their end. Send the request again in a second.",
  headers: { "retry-after": "1" },
};

/** The endpoints for scenario files: the files that can be run here, and the recording of a world as a file. */
export function scenarioEndpoints(options: ScenarioOptions) {
  return { ...fileEndpoints(options), ...runEndpoints(options) };
}

function fileEndpoints({ openScenarios }: ScenarioOptions) {
  return {
    listScenarios: {
      method: "GET",
      path: "/sandbox/scenarios",
      tag: "Scenarios",
      summary: "List the scenarios that can be run",
      access: "admin",
      response: "ScenarioNameList",
      answer: async () => ({
        data: (await (await openScenarios()).all()).map(({ name, description, file }) => ({
          name,
          description,
          file,
        })),
      }),
    } satisfies Endpoint,
    addScenario: {
      method: "POST",
      path: "/sandbox/scenarios",
      tag: "Scenarios",
      summary: "Add a scenario",
      description: "A scenario file, or its text in JSON as `{text}`. Reports every mistake with its place.",
      access: "admin",
      takes: {
        type: "application/yaml",
        example: "name: An hour passes\nsteps:\n  - advance: PT1H\n",
        json: "ScenarioTextRequest",
      },
      response: "ScenarioName",
      successStatus: 201,
      answer: async ({ text }) => addScenario(await openScenarios(), text),
    } satisfies Endpoint,
    showScenario: {
      method: "GET",
      path: "/sandbox/scenarios/{name*}",
      tag: "Scenarios",
      summary: "Show the text of a scenario",
      access: "admin",
      parameters: SCENARIO,
      response: "ScenarioText",
      errors: ["NOT_FOUND"],
      answer: async ({ params }) => shownText(await scenarioOf(await openScenarios(), params["name"] ?? "")),
    } satisfies Endpoint,
  };
}

function runEndpoints({ recordingOf, openScenarios }: ScenarioOptions) {
  return {
    runScenario: {
      method: "POST",
      path: "/sandbox/scenarios/{name*}/run",
      tag: "Scenarios",
      summary: "Run a scenario in a new world",
      description: "Answers with the report of `sandbank run --reporter json`.",
      access: "admin",
      parameters: SCENARIO,
      request: "ScenarioRunRequest",
      response: "ScenarioReport",
      errors: ["NOT_FOUND"],
      answer: async ({ params, body }) => {
        const library = await openScenarios();
        const outcome = await library.run(await scenarioOf(library, params["name"] ?? ""), body);
        if ("report" in outcome) return outcome.report;
        return refuse("params", outcome.mistakes.map(({ message }) => message).join(" "));
      },
    } satisfies Endpoint<"ScenarioRunRequest">,
    showRecording: {
      method: "GET",
      path: "/sandbox/recording",
      tag: "Scenarios",
      summary: "Show the history of the world as a scenario file",
      response: "Recording",
      gives: "application/yaml",
      limit: RECORDINGS,
      answer: async ({ world }) => {
        const headers = { "content-type": "application/yaml; charset=utf-8", "cache-control": "no-store" };
        return new Reply(await recordingOf(world), { headers });
      },
    } satisfies Endpoint,
  };
}

const SCENARIO = { name: pathParameter("The name of the scenario, or its file.", "subscriptions/accepted") };

/** Adds a scenario file, or its text in JSON as `{text}`. Reports every mistake with its place. */
async function addScenario(library: ScenarioLibrary, text: string): Promise<object> {
  const added = await library.add(textOf(text));
  if ("full" in added)
    refuse("scenarios", `${added.full} Post it under the name of an existing scenario.`, "LIMIT");
  if ("mistakes" in added) {
    refuseAll(
      added.mistakes.map(({ line, column, message }) => ({
        field: `line ${line}, column ${column}`,
        issue: "INVALID",
        description: message,
        line,
        column,
      })),
    );
  }
  const { name, description, file } = added.scenario;
  return { name, description, file };
}

/** Shows the text of a scenario, or of a posted state, which has no file. */
function shownText(scenario: ScenarioText): object {
  if (!scenario.state) return scenario;
  const { file: _file, ...state } = scenario.state;
  return { ...scenario, state };
}

async function scenarioOf(library: ScenarioLibrary, name: string): Promise<ScenarioText> {
  const found = await library.get(name);
  if (found !== undefined) return found;
  const names = (await library.all()).flatMap((one) => [
    one.name,
    one.file?.replace(/\.yaml$/, "") ?? one.name,
  ]);
  const meant = suggestion(name, names, { quote: '"' });
  return refuseUnknown(`There is no scenario "${name.slice(0, 200)}". ${meant}`);
}

/** Unpacks the text of an object that has only a text. JSON is YAML, so a scenario may be sent as JSON too. */
function textOf(sent: string): string {
  try {
    const { text, steps } = JSON.parse(sent) as { text?: unknown; steps?: unknown };
    return typeof text === "string" && steps === undefined ? text : sent;
  } catch {
    return sent;
  }
}
