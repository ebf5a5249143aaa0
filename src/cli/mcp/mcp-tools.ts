import { type Scenario, type ScenarioStep, type Verb, titleOf } from "../../scenarios/scenario.ts";
import { scenarioContext, useBodies } from "../../scenarios/context.ts";
import type { OpenSandbox } from "../../server/access/open-sandbox.ts";
import { hint } from "../../scenarios/source.ts";
import { formatMistake } from "../../base/yaml-file.ts";
import type { AnyEndpoint } from "../../server/control/endpoint.ts";
import { assertDefined } from "../../simulator/engine/assertion.ts";
import { controlEndpoints } from "../../server/control/endpoints.ts";
import { inlinedSchema } from "../../simulator/api/schemas.ts";
import type { ControlCalls } from "../../server/control/generated/calls.ts";
import { type JsonObject, defined } from "../../simulator/engine/json.ts";
import { type ScenarioWorld, localWorlds, targetWorlds } from "../../scenarios/world.ts";
import { parseScenario } from "../../scenarios/parse.ts";
import { perform, refusalOf } from "../../scenarios/perform.ts";
import { definitionOf, plain } from "./plain-schema.ts";
import { collectionNames, operationIds } from "../../scenarios/vocabulary.ts";
import { readScenarios } from "../../scenarios/scenario-files.ts";
import { systemWall } from "../../base/wall.ts";
import { describedLimit, type Limit } from "../../checks/limit.ts";
import { LIMITS } from "../../checks/explore/search-limits.ts";
import { receiverReport } from "../../checks/receiver/receiver-check.ts";
import { receiverJson } from "../../checks/receiver/report.ts";
import { runReport } from "../../scenarios/report.ts";
import { runScenarios } from "../../scenarios/run.ts";
import { Session } from "../../scenarios/session.ts";
import type { StepClient } from "../../scenarios/step-client.ts";
import { StepFailure } from "../../scenarios/step-failure.ts";
import { shippedScenarios } from "../../scenarios/scenario-jobs.ts";
import { described, WORDS } from "./mcp-words.ts";
import { UsageError } from "../../base/failures.ts";
import { secretVariable } from "../../server/settings/secret-variable.ts";

/** One tool of the Model Context Protocol. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly isReadOnly?: true;
  /** Rejects with a sentence for the agent. */
  readonly run: (input: JsonObject) => Promise<unknown>;
}

/** The steps that an agent takes in a world, as a scenario without an end. */
class Steps {
  readonly session: Session;
  #count = 0;

  constructor(world: ScenarioWorld) {
    const scenario = { name: "session", file: "", steps: [] } as unknown as Scenario;
    this.session = new Session(scenario, { world, seed: systemWall.date() % 2 ** 32 });
  }

  async call(input: JsonObject): Promise<unknown> {
    const { status, headers, body } = (await this.#take("call", input)).answer ?? {};
    const shown = { warning: headers?.["x-sandbox-warning"], hint: this.#companyHint(status, input["as"]) };
    return { status, ...defined(shown), body };
  }

  /** Returns the hint for a refused token that is the name of no company. */
  #companyHint(status: number | null | undefined, as: unknown): string | undefined {
    const known = Object.keys(this.session.world.tokens);
    if (status !== 401 || typeof as !== "string" || known.includes(as)) return undefined;
    return `\`as\` names no company, so \`${as}\` was sent as a token. ${hint(as, known)}`;
  }

  /** Takes a step of the sandbox's own API: a refusal is a failure of the tool. */
  async control(verb: Verb, input: JsonObject): Promise<unknown> {
    const { title, answer } = await this.#take(verb, input);
    const refusal = answer && refusalOf(title, answer);
    if (refusal !== undefined) throw new StepFailure(refusal);
    return answer?.body;
  }

  async #take(verb: Verb, input: JsonObject) {
    const mistakes: string[] = [];
    const used = useBodies(input, scenarioContext().bodies, (_, message) => mistakes.push(message));
    if (mistakes.length > 0) throw new UsageError(mistakes.join(" "));
    this.#count += 1;
    const step = await this.#filled({
      ...(used as JsonObject),
      verb,
      number: this.#count,
      line: 1,
      column: 1,
    });
    return { title: titleOf(step), answer: await perform(step, this.session) };
  }

  #filled(step: object): Promise<ScenarioStep> {
    return this.session.fill(step as ScenarioStep);
  }
}

/**
 * Returns the tools for a world. They have the inputs of scenario steps and the words of the platform. Scenarios run on
 * the server `target`, or in this process without it.
 */
export function mcpTools(world: ScenarioWorld, openSandbox: OpenSandbox, target?: string): readonly Tool[] {
  const steps = new Steps(world);
  return [
    ...stepTools(steps),
    ...endpointTools(steps.session.client),
    ...runTools(steps, openSandbox, target),
  ];
}

/** Returns the tools that are steps of scenarios. */
function stepTools(steps: Steps): readonly Tool[] {
  return [
    {
      name: "describe",
      description:
        "Lists the names of the platform: operations, acts, plans, effects of faults, events, assumptions, fixtures (bodies for $use), scenarios or collections. With `name` it shows one of them with its schema and an example.",
      inputSchema: object({ what: { enum: Object.keys(WORDS) }, name: { type: "string" } }, ["what"]),
      isReadOnly: true,
      run: async ({ what, name }) => described(what as keyof typeof WORDS, name as string | undefined),
    },
    {
      name: "call",
      description:
        "Calls an operation of the platform API, or any method and path, as a partner's client does. Returns status and body, also if the platform refuses the call.",
      inputSchema: stepSchema("call"),
      run: (input) => steps.call(input),
    },
    {
      name: "act",
      description: "Plays a payer, an institution or a customer now. Returns the changed object.",
      inputSchema: stepSchema("act"),
      run: (input) => steps.control("act", input),
    },
    {
      name: "plan",
      description:
        "Sets in advance the outcomes of the next steps of one object, or of the next objects of its kind.",
      inputSchema: stepSchema("plan"),
      run: (input) => steps.control("plan", input),
    },
    {
      name: "fault",
      description:
        "Injects a failure: webhooks that arrive twice, late or never, bad signatures, failing answers. `remove: true` removes all faults.",
      inputSchema: faultSchema(),
      run: (input) =>
        input["remove"] === true
          ? steps.session.client.ask("DELETE /sandbox/faults")
          : steps.control("fault", { fault: input }),
    },
    {
      name: "advance",
      description:
        "Advances the clock. Give exactly one of `by` (a duration), `to` (a time) or `until` (next or idle). All due steps and webhooks happen in order. Returns them as a list.",
      inputSchema: advanceSchema(),
      run: ({ wait, ...how }) => steps.control("advance", { advance: how, ...defined({ wait }) }),
    },
  ];
}

/** Returns the tools that read the history of the world, and the tools with separate worlds. */
function runTools(steps: Steps, openSandbox: OpenSandbox, target: string | undefined): readonly Tool[] {
  return [
    {
      name: "why",
      description:
        "Shows the history of an object or a webhook: the calls, acts, timers, plans and faults that led to its state.",
      inputSchema: object({ id: { type: "string" } }, ["id"]),
      isReadOnly: true,
      run: ({ id }) => steps.session.client.ask("GET /sandbox/timeline", { about: String(id) }),
    },
    {
      name: "run_scenario",
      description:
        "Runs scenarios in separate worlds and returns the report. `file` is a file or a folder on this machine, `text` is a scenario in YAML, `name` is a scenario of the package.",
      inputSchema: object({
        file: { type: "string" },
        text: { type: "string" },
        name: { type: "string" },
        seed: { type: "integer", minimum: 0 },
        receiver: { type: "string", description: "The URL for the webhooks." },
      }),
      run: (input) => runGiven(input, openSandbox, target),
    },
    {
      name: "check_receiver",
      description:
        "Checks a webhook receiver with about fifty requests: forgeries, duplicates, races, events out of order, broken connections. `probe` is a URL that returns the receiver's state as JSON. Some checks need it.",
      inputSchema: object(
        {
          url: { type: "string" },
          secret: { type: "string", description: "Default: the secret of the fixtures." },
          probe: { type: "string" },
          ignore: IGNORE,
          only: { type: "array", items: { type: "string" }, description: "Only these checks, such as I2." },
          level: { enum: ["must", "should"] },
        },
        ["url"],
      ),
      run: (input) => checkGiven(input, openSandbox),
    },
    exploreTool(openSandbox),
  ];
}

const IGNORE = {
  type: "array",
  items: { type: "string" },
  description: "JSONPaths of the probe to leave out.",
} as const;

function exploreTool(openSandbox: OpenSandbox): Tool {
  return {
    name: "explore",
    description:
      "Repeats a scenario with every order and failure of its webhooks (twice, late, in another order, at the same time), and lists those after which the receiver's state differs. `probe` is a URL that returns that state as JSON. The scenario can name it too.",
    inputSchema: object(
      {
        file: { type: "string", description: "A scenario file on this machine." },
        receiver: { type: "string", description: "The URL of the receiver." },
        probe: { type: "string" },
        ignore: IGNORE,
        depth: limitSchema(LIMITS.depth),
        budget: limitSchema(LIMITS.budget),
        seed: limitSchema(LIMITS.seed),
      },
      ["file", "receiver"],
    ),
    run: async ({ file, ...options }) => {
      const { runExploration } = await import("../../checks/explore/run-exploration.ts");
      const { report: _, ...result } = await runExploration(
        { scenario: file, ...options } as never,
        openSandbox,
      );
      return result;
    },
  };
}

function limitSchema(limit: Limit): object {
  const [minimum, maximum] = limit.range;
  return { type: "integer", minimum, maximum, description: describedLimit(limit) };
}

/** Returns the tools that endpoints of the sandbox's own API serve. */
function endpointTools(client: StepClient): Tool[] {
  const serving = Object.values(controlEndpoints({})).filter(({ tool }) => tool !== undefined);
  return Array.from(
    Map.groupBy(serving, ({ tool }) => tool?.name ?? ""),
    ([name, endpoints]) => ({
      name,
      description: endpoints.map(endpointDescription).join(" "),
      inputSchema: object(
        Object.fromEntries(endpoints.flatMap(fieldsOf)),
        inPath(endpoints[0]).filter((field) => endpoints.every((one) => inPath(one).includes(field))),
      ),
      ...(endpoints.every(({ method }) => method === "GET") && { isReadOnly: true as const }),
      run: async (input) => {
        const possible = endpoints.filter((one) => inPath(one).every((field) => field in input));
        const takesAll = possible.find(({ tool: { fields = [] } = { name } }) =>
          Object.keys(input).every((field) => fields.includes(field)),
        );
        const { method, path, tool } = assertDefined(takesAll ?? possible.at(-1), `an endpoint of ${name}`);
        const answer = await client.ask(`${method} ${path}` as keyof ControlCalls, input);
        return tool?.listed === undefined ? answer : shortList(answer as JsonObject, tool.listed);
      },
    }),
  );
}

function endpointDescription({ summary, tool }: AnyEndpoint): string {
  const hint = tool?.listed && " The list has no headers and bodies. Name an `id` to see them.";
  return `${summary}.${hint ?? ""}`;
}

/** Returns a page of a list, with only these fields of its entries. */
function shortList({ data, ...page }: JsonObject, fields: readonly string[]): JsonObject {
  const entries = (data as readonly JsonObject[]).map((entry) =>
    Object.fromEntries(fields.map((field) => [field, entry[field]])),
  );
  return { data: entries, ...page };
}

function inPath(endpoint: AnyEndpoint | undefined): string[] {
  return Object.keys(endpoint?.parameters ?? {});
}

/** The values of fields whose schema leaves the values to the catalog. */
const WORDS_OF: Readonly<Record<string, readonly string[]>> = {
  collection: collectionNames,
  operation: operationIds,
};

function fieldsOf({ tool, parameters = {}, query, request }: AnyEndpoint): [string, unknown][] {
  const shape = query ?? request;
  const { properties = {} } = shape === undefined ? {} : inlinedSchema(shape);
  return (tool?.fields ?? []).map((field) => {
    const { description } = parameters[field] ?? {};
    const words = WORDS_OF[field] && { enum: WORDS_OF[field] };
    return [field, words ?? plain(properties[field] ?? { type: "string", description })];
  });
}

function object(properties: object, required: readonly string[] = []): object {
  return {
    type: "object",
    properties,
    additionalProperties: false,
    ...(required.length > 0 && { required }),
  };
}

/** The keys of a scenario's step in addition to its fields. A tool has answers in place of expectations. */
const OF_SCENARIOS: ReadonlySet<string> = new Set(["save", "expect", "waitFor", "note", "allowUnknown"]);

/** Returns the input of a tool: the fields of the step with that verb. */
function stepSchema(verb: Verb): object {
  const { properties = {}, required } = definitionOf(`${verb}Step`);
  const fields = Object.entries(properties as JsonObject).filter(([name]) => !OF_SCENARIOS.has(name));
  return object(
    Object.fromEntries(fields.map(([name, field]) => [name, plain(field)])),
    required as string[],
  );
}

function faultSchema(): object {
  const { properties } = definitionOf("fault");
  const remove = { const: true, description: "Removes all faults." };
  return object({ ...(plain(properties) as object), remove });
}

function advanceSchema(): object {
  const { advance, wait } = definitionOf("advanceStep")["properties"] as {
    advance: JsonObject;
    wait: unknown;
  };
  const { properties } = advance["else"] as { properties: object };
  return object({ ...(plain(properties) as object), wait: plain(wait) });
}

/** The input of `run_scenario`, by its schema. */
interface RunInput {
  readonly file?: string;
  readonly text?: string;
  readonly name?: string;
  readonly seed?: number;
  readonly receiver?: string;
}

async function runGiven(
  { file, text, name, seed, receiver }: RunInput,
  openSandbox: OpenSandbox,
  target: string | undefined,
): Promise<unknown> {
  const given = [file, text, name].filter((one) => one !== undefined);
  if (given.length !== 1) throw new UsageError("Give exactly one of file, text and name.");
  const scenarios = file === undefined ? await scenariosIn(text, name ?? "") : readScenarios([file]);
  const webhookUrl = defined({ webhookUrl: receiver });
  const adminToken = secretVariable("SANDBANK_ADMIN_TOKEN");
  const results = await runScenarios(scenarios, {
    openWorld:
      target === undefined
        ? localWorlds(openSandbox, webhookUrl)
        : targetWorlds(target, { ...webhookUrl, ...defined({ adminToken }) }),
    ...defined({ seed }),
  });
  return runReport(results);
}

/** Returns the name of a shipped scenario by its file, such as `payouts/slow-key`. */
function pathNameOf({ file, name }: { readonly file: string | null; readonly name: string }): string {
  return file?.replace(/\.yaml$/, "") ?? name;
}

async function scenariosIn(text: string | undefined, name: string): Promise<readonly Scenario[]> {
  const shipped = text === undefined ? await shippedScenarios() : [];
  const found = shipped.find((one) => one.name === name || pathNameOf(one) === name.replace(/\.yaml$/, ""));
  if (text === undefined && found === undefined) {
    const names = shipped.flatMap((one) => [pathNameOf(one), one.name]);
    throw new UsageError(
      `No scenario is called "${name}". ${hint(name, names)} \`describe\` with \`what: scenarios\` lists all.`,
    );
  }
  const file = found?.file ?? "scenario.yaml";
  const context = { ...scenarioContext(), isText: text !== undefined };
  const { scenarios, mistakes } = parseScenario(text ?? found?.text ?? "", file, context);
  if (mistakes.length > 0) throw new UsageError(mistakes.map(formatMistake).join("\n"));
  return scenarios;
}

async function checkGiven({ url, ...input }: JsonObject, openSandbox: OpenSandbox): Promise<unknown> {
  return receiverJson(await receiverReport({ ...input, url: String(url), openSandbox }));
}
