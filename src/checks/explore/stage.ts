import { isContained } from "../../base/container.ts";
import {
  type BooksSettings,
  type ScenarioStep,
  DEFAULT_START,
  asksPartner,
  titleOf,
  withRounds,
} from "../../scenarios/scenario.ts";
import type { Exploration } from "./exploration.ts";
import type { Sandbox } from "../../server/access/sandbox-interface.ts";
import type { SandboxOptions } from "../../server/settings/sandbox-options.ts";
import type { Session } from "../../scenarios/session.ts";
import type { Stop } from "../../base/stop.ts";
import { type ControlClient } from "../../server/control/client.js";
import { localClient } from "../../server/control/local-client.ts";
import { Kills } from "./kills.ts";
import { defined } from "../../simulator/engine/json.ts";
import { ExploredReceiver } from "./receiver.ts";
import { isSettleNamed, settleOf } from "./run-plan.ts";
import { probeOf } from "./probe.ts";
import { RetryAfter } from "./retry-after.ts";
import { LateLooks } from "./late-looks.ts";
import { loadFixtures } from "../../server/access/fixture-files.ts";
import { ignoredInRun } from "./ignored.ts";
import { NotTried } from "../../base/failures.ts";
import { PARTNER_URL } from "../../scenarios/check-step.ts";
import { PartnerLife } from "../../partner/partner-system.ts";
import { PlayedWorld, RECEIVER_URL } from "../../server/access/played-world.ts";
import type { Wall } from "../../base/wall.ts";
import { type PartnerSandbox, partnerSandbox, type ScenarioWorld, tokensOf } from "../../scenarios/world.ts";
import { PendingRepeats } from "../../partner/pending-repeats.ts";
import { Rest } from "../../partner/rest.ts";
import { SpentTime } from "../../base/spent-time.ts";
import { LIMITS } from "./search-limits.ts";

/** The sandbox and the partner's system of an exploration. All of its runs are played there. */
export interface Stage extends AsyncDisposable {
  readonly exploration: Exploration;
  readonly stop: Stop;
  readonly sandbox: Sandbox;
  readonly client: ControlClient;
  /** The only world of the sandbox. Every run is played in it. */
  readonly world: PlayedWorld;
  /** The same world, for the steps. */
  readonly reached: ScenarioWorld;
  readonly receiver: ExploredReceiver;
  readonly retryAfter: RetryAfter;
  readonly repeats: PendingRepeats;
  readonly kills: Kills;
  readonly life: PartnerLife;
  readonly rest: Rest;
  readonly lateLooks: LateLooks;
  /** The time of the exploration, by what it waits for. */
  readonly spent: SpentTime;
  /**
   * Reads the state of the partner's system. Rejects with a `CommandFailure`. Without a probe, only the platform's state
   * is compared.
   */
  readonly probe: ((session: Session) => Promise<unknown>) | undefined;
  /** The place of the partner's books in that state. */
  readonly books: BooksSettings | undefined;
  readonly settleMs: number;
  /** True if the partner's system, or a client in the steps, calls the sandbox. The platform's state depends on it. */
  readonly isCaller: boolean;
  /** True if the partner's system calls the sandbox. Then its calls are checked. */
  readonly isLinted: boolean;
}

const IN_CONTAINER =
  " This command runs in a container: let the receiver listen on 0.0.0.0, and use its name or the name of the host.";

/** Opens the sandbox, and starts the partner's system. */
export async function openStage(exploration: Exploration, stop: Stop): Promise<Stage> {
  const { scenario, partner, wall, books = scenario.probe?.books } = exploration;
  refuseUnplayable(withRounds(scenario.steps), exploration);
  const { companies } = loadFixtures(scenario.fixtures);
  const isCaller = isCallerIn(exploration);
  const spent = new SpentTime(wall);
  const life = new PartnerLife(partner, spent);
  const read = probeOf(exploration, { isCaller, life });
  const probe = read && ((session: Session) => spent.during("answers", () => read(session)));
  const retryAfter = new RetryAfter(spent.wallOf("repeats"));
  const repeats = new PendingRepeats(spent.wallOf("repeats"));
  const kills = new Kills(life);
  const settleMs = settleOf(exploration);
  const rest = restOf(exploration, { wall: spent.wallOf("rest"), settleMs, waits: [repeats, retryAfter] });
  const receiver = new ExploredReceiver(
    exploration.receiver ?? acknowledge,
    { secret: exploration.webhookSecret, known: companies.map(({ webhook }) => webhook.secret) },
    { life, wall, rest, repeats, spent },
  );
  const { sandbox, worlds } = await exploration.openSandbox(
    sandboxOptionsOf(exploration, receiver),
    async (faultIds, moment) => {
      if (stop.reason !== undefined) return;
      retryAfter.touched(faultIds);
      return kills.onCallFault(faultIds, moment);
    },
  );
  const { port } = exploration;
  const { origin } = scenario;
  const opened = partnerSandbox(sandbox, { port, partner, origin, tokens: tokensOf(companies) });
  const close = async (): Promise<void> => {
    retryAfter[Symbol.dispose]();
    await opened.close();
  };
  try {
    await start(opened, receiver, { exploration, stop, spent });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    exploration,
    stop,
    sandbox,
    client: localClient(sandbox),
    world: new PlayedWorld(worlds.default),
    reached: { ...opened.reached, partner: { answered: kills.onAnswer } },
    receiver,
    retryAfter,
    repeats,
    kills,
    life,
    rest,
    lateLooks: new LateLooks(),
    spent,
    probe,
    books,
    settleMs,
    isCaller,
    isLinted: isCaller || scenario.steps.some(asksPartner),
    [Symbol.asyncDispose]: close,
  };
}

function restOf(
  exploration: Exploration,
  {
    waits,
    ...more
  }: {
    readonly wall: Wall;
    readonly settleMs: number;
    readonly waits: readonly { readonly over: () => Promise<boolean> }[];
  },
): Rest {
  return new Rest({
    ...more,
    isDefault: !isSettleNamed(exploration),
    pids: exploration.partner?.pids,
    repeatsOver: () => eachOver(waits),
    ignored: ignoredInRun(exploration),
  });
}

/** Waits for each in turn. Returns true if one of them had to wait. */
async function eachOver(all: readonly { readonly over: () => Promise<boolean> }[]): Promise<boolean> {
  let hasWaited = false;
  for (const one of all) hasWaited = (await one.over()) || hasWaited;
  return hasWaited;
}

function sandboxOptionsOf(
  { scenario, receiver, seed = LIMITS.seed.preset, wall }: Exploration,
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

/** Starts the partner's system. Refuses a receiver that does not listen. */
async function start(
  opened: PartnerSandbox,
  explored: ExploredReceiver,
  { exploration, stop, spent }: Pick<Stage, "exploration" | "stop" | "spent">,
): Promise<void> {
  const { port, receiver } = exploration;
  const notOpened = (found: string): NotTried =>
    new NotTried(`Failed to open the sandbox on port ${port}: ${found}. Choose another port.`);
  await spent.during("start", () => opened.start(notOpened, (started) => stop.until(started)));
  if (await stop.until(explored.isGone()))
    throw new NotTried(
      `Failed to reach the receiver: nothing listens at ${String(receiver)}. Start it first.${isContained() ? IN_CONTAINER : ""}`,
    );
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
  return (
    isOpen ||
    withRounds(scenario.steps).some((step) => step.verb === "call" && (step.retry ?? "none") !== "none")
  );
}
