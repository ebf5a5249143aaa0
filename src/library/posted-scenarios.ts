import type { OpenedWorlds } from "../server/opened-worlds.ts";
import type { OpenSandbox } from "../server/access/open-sandbox.ts";
import type { ScenarioJobs } from "../scenarios/scenario-jobs.ts";
import type { ScenarioLibrary } from "../scenarios/scenario-library.ts";
import type { ProviderStates } from "../contracts/states/provider-states.ts";
import { extname } from "node:path";

/** The module of the threads that run scenarios. */
const SCENARIO_THREAD = new URL(`./scenario-thread${extname(import.meta.url)}`, import.meta.url);

/**
 * A longer text would delay other requests. A server of one's own also leaves it to a thread. Shipped scenarios are
 * shorter, so most servers need no thread.
 */
const CHARACTERS_MAX = 10_000;

/** The scenarios of a server. Their modules are loaded on first use. */
interface PostedScenarios {
  readonly openScenarios: () => Promise<ScenarioLibrary>;
  readonly openStates: () => Promise<ProviderStates>;
  readonly close: () => Promise<void>;
}

/** Returns the scenarios of a server. `states` are the files with its provider states. */
export function postedScenarios(
  shared: OpenedWorlds["scenarios"],
  states: readonly string[],
  openSandbox: OpenSandbox,
): PostedScenarios {
  let threads = shared?.threads(SCENARIO_THREAD);
  let opened: Promise<ScenarioLibrary> | undefined;
  const open = async (): Promise<ScenarioLibrary> => {
    const { ScenarioLibrary: Library } = await import("../scenarios/scenario-library.ts");
    if (threads !== undefined) return new Library(jobsIn(threads.run), shared);
    const { scenarioJobs } = await import("../scenarios/scenario-jobs.ts");
    const ofThreads = jobsIn(async (...job) => {
      const { JobThreads } = await import("../server/job-threads.ts");
      return (threads ??= new JobThreads(SCENARIO_THREAD)).run(...job);
    });
    return new Library(bySize(scenarioJobs(openSandbox), ofThreads));
  };
  const openScenarios = (): Promise<ScenarioLibrary> => (opened ??= open());
  return {
    openScenarios,
    openStates: () => providerStates(states, openScenarios),
    close: async () => threads?.close(),
  };
}

/** Loads the provider states: scenarios, which only a verifier needs. */
async function providerStates(
  states: readonly string[],
  openScenarios: PostedScenarios["openScenarios"],
): Promise<ProviderStates> {
  const { stateLibrary } = await import("../contracts/states/state-library.ts");
  const { ProviderStates: States } = await import("../contracts/states/provider-states.ts");
  return new States(await stateLibrary(states, await openScenarios()));
}

/** Leaves the work with a long text to threads. */
function bySize(here: ScenarioJobs, ofThreads: ScenarioJobs): ScenarioJobs {
  const jobsFor = (text: string): ScenarioJobs => (text.length > CHARACTERS_MAX ? ofThreads : here);
  return {
    list: here.list,
    read: (text) => jobsFor(text).read(text),
    parse: (text, params) => jobsFor(text).parse(text, params),
    run: (scenario, inputs) => jobsFor(scenario.text).run(scenario, inputs),
  };
}

/** Leaves the work with scenario files to threads. */
function jobsIn(run: (kind: string, inputs: readonly unknown[]) => Promise<never>): ScenarioJobs {
  return {
    list: () => run("list", []),
    read: (text) => run("read", [text]),
    parse: (text, params) => run("parse", [text, params]),
    run: (scenario, inputs) => run("run", [scenario, inputs]),
  };
}
