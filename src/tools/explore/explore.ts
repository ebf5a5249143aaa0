import type { Exploration, Explored, ExploreResult } from "./exploration.ts";
import { Crashes } from "./crashes.ts";
import { Limits } from "./limits.ts";
import { PARTNER_URL } from "../scenarios/check-step.ts";
import type { Sandbox } from "../../access/sandbox-interface.ts";
import type { SandboxOptions } from "../../settings/sandbox-options.ts";
import { DEFAULT_START, type ScenarioStep, titleOf } from "../scenarios/scenario.ts";
import { ExploredReceiver } from "./receiver.ts";
import { loadFixtures } from "../../access/fixture-files.ts";
import { NotTried } from "./baseline.ts";
import { PartnerLife } from "./partner-system.ts";
import type { PartnerSystem } from "./play.ts";
import { isSettleNamed, probeOf, settleOf } from "./sight.ts";
import { RECEIVER_URL, type ScenarioWorld, tokensOf } from "../scenarios/world.ts";
import { LIMITS } from "./search-limits.ts";
import { Search } from "./search.ts";
import { Rest } from "./rest.ts";
import { Stage } from "./stage.ts";
import { Stop, Stopped } from "../stop.ts";
import { PlayedWorld } from "../../access/played-world.ts";
import { controlClient } from "../../control/client.js";
import { defined } from "../../engine/json.ts";

/** Tries the possible orders and failures of a scenario's webhooks and calls, and compares the states at the end. */
export async function exploreScenario(exploration: Exploration): Promise<Explored> {
  const { scenario, depth = LIMITS.depth.preset, seed = 1 } = exploration;
  try {
    using stop = new Stop(exploration.wall, exploration.signal);
    await using search = await openSearch({ ...exploration, wall: stop.wall }, stop);
    return await search.run();
  } catch (caught) {
    const error = firstFailure(caught);
    if (!(error instanceof NotTried || error instanceof Stopped)) throw error;
    const result: ExploreResult = {
      scenario: scenario.name,
      events: [],
      calls: [],
      depth,
      schedules: { tried: 0, total: 0, skipped: 0 },
      ignored: [],
      divergences: [],
      verdict: "not-tried",
      reason: error instanceof Stopped ? endedBefore(error) : error.message,
      file: scenario.file,
      seed,
      cells: [],
      notes: [],
      notTried: [],
    };
    return { result };
  }
}

async function openSearch(exploration: Exploration, stop: Stop): Promise<Search> {
  const { scenario, partner, wall, seed = 1 } = exploration;
  refuseUnplayable(scenario.steps, exploration);
  const { companies } = loadFixtures(scenario.fixtures);
  const system = systemOf(exploration);
  const limits = new Limits(wall);
  const crashes = new Crashes(system.life);
  const settleMs = settleOf(exploration);
  const rest = new Rest({
    wall,
    settleMs,
    isDefault: !isSettleNamed(exploration),
    pids: partner?.pids,
    retryAfterOver: () => limits.over(),
  });
  const receiver = new ExploredReceiver(
    exploration.receiver ?? acknowledge,
    { secret: exploration.webhookSecret, known: companies.map(({ webhook }) => webhook.secret) },
    { life: system.life, wall, rest },
  );
  const { sandbox, worlds } = await exploration.openSandbox(
    sandboxOptionsOf(exploration, receiver),
    async (faultIds, moment) => {
      if (stop.reason !== undefined) return;
      limits.touched(faultIds);
      return crashes.onCallFault(faultIds, moment);
    },
  );
  const close = async (): Promise<void> => {
    limits[Symbol.dispose]();
    await (partner?.end ?? partner?.kill)?.();
    await sandbox.close();
  };
  try {
    await start(exploration, { sandbox, receiver, stop });
  } catch (error) {
    await close();
    throw error;
  }
  const stage = new Stage({
    world: new PlayedWorld(worlds.default),
    limits,
    crashes,
    receiver,
    reached: worldOfSteps(exploration, sandbox, {
      tokens: tokensOf(companies),
      partner: { answered: crashes.onAnswer },
    }),
    clientFetch: (input, init) => sandbox.fetch(input, init),
    scenario,
    partner: system,
    rest,
    wall,
    seed,
    settleMs,
    books: exploration.books ?? scenario.probe?.books,
    isLinted: system.isCaller || scenario.steps.some(({ verb }) => verb === "request"),
  });
  const client = controlClient({ url: "http://localhost", fetch: (request) => sandbox.fetch(request) });
  return new Search(exploration, { stop, client, stage, receiver, system, rest, close });
}

function systemOf(exploration: Exploration): PartnerSystem {
  const { partner, client, reset, wall } = exploration;
  const life = new PartnerLife(partner);
  const isCaller = isCallerIn(exploration);
  return {
    probe: probeOf(exploration, { isCaller, life }),
    isCaller,
    life,
    client,
    reset: reset && (() => reset(wall)),
  };
}

function sandboxOptionsOf(
  { scenario, receiver, seed = 1, wall }: Exploration,
  { transport }: ExploredReceiver,
): SandboxOptions {
  const { start = DEFAULT_START, fixtures, assumptions, webhookUrl } = scenario;
  return {
    seed,
    mode: "frozen",
    transport,
    webhookUrl: typeof receiver === "string" ? receiver : (webhookUrl ?? RECEIVER_URL),
    // Every run has the same start, so that only the schedule makes a difference.
    start: start === "now" ? new Date(wall.date()).toISOString() : start,
    ...defined({ fixtures, assumptions }),
  };
}

interface Starting {
  readonly sandbox: Sandbox;
  readonly receiver: ExploredReceiver;
  readonly stop: Stop;
}

/** Opens the port of the sandbox, and starts the partner's system. */
async function start(
  { port, partner, receiver: where }: Exploration,
  { sandbox, receiver, stop }: Starting,
): Promise<void> {
  if (port !== undefined || partner?.listening !== undefined) {
    const { url } = await sandbox.listen({ port: port ?? 0 }).catch((error: Error) => {
      throw new NotTried(
        `Failed to open the sandbox on port ${port}: ${error.message}. Choose another port.`,
      );
    });
    partner?.listening?.(url);
  }
  if (partner !== undefined) await stop.until(partner.start());
  if (await stop.until(receiver.isGone()))
    throw new NotTried(`Failed to reach the receiver: nothing listens at ${String(where)}. Start it first.`);
}

/** Returns the world that the steps reach. */
function worldOfSteps(
  { scenario: { origin = "" }, partner }: Exploration,
  sandbox: Sandbox,
  more: Pick<ScenarioWorld, "tokens" | "partner">,
): ScenarioWorld {
  return {
    ...more,
    fetch: (path, init) => sandbox.fetch(origin + path, init),
    // A process that follows the clock is waited for as well: the request for that does it.
    ...(partner === undefined && { settled: () => sandbox.settled() }),
    receiver: undefined,
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

function endedBefore({ message }: Stopped): string {
  return `The baseline did not end, because ${message}. Give it more --time, or find out why your system waits.`;
}

/** Answers as the receiver of a partner if only its calls are explored. */
const acknowledge = (): Response => Response.json({ returnCode: "OK" });

function refuseUnplayable(steps: readonly ScenarioStep[], { client }: Exploration): void {
  const asked = steps.find((step) => step.verb === "request" && step.request.includes(` ${PARTNER_URL}`));
  if (asked !== undefined && client === undefined)
    throw new NotTried(
      `No system answers \`${titleOf(asked)}\`: give the \`client\` of explore() in the library, or write the whole URL of your system.`,
    );
  if (steps.some(({ verb }) => verb === "receiver"))
    throw new NotTried(
      "The scenario scripts the built-in receiver, but the webhooks go to your receiver: leave the `receiver` steps out.",
    );
}

/** Returns true if the partner's system calls the sandbox, or if a step plays a client that repeats its call. */
function isCallerIn({ scenario, port, partner, client }: Exploration): boolean {
  const isOpen = [port, partner, client].some((one) => one !== undefined);
  return isOpen || scenario.steps.some((step) => step.verb === "call" && (step.retry ?? "none") !== "none");
}

/** Returns the first failure, which a failure while closing would hide. Node 22 has no global `SuppressedError`. */
function firstFailure(caught: unknown): unknown {
  const isHidden = caught instanceof Error && caught.name === "SuppressedError";
  return isHidden ? (caught as SuppressedError).suppressed : caught;
}
