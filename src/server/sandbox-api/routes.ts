import type { ControlAnswer, ControlRequest } from "./control.ts";
import type { Hono } from "hono";
import type { World } from "../../worlds/world.ts";
import type { Worlds } from "../../worlds/worlds.ts";
import { advanceClock, setClock, showClock } from "./clock.ts";
import { adminGuard } from "./admin-guard.ts";
import { foreignPageGuard } from "./foreign-page-guard.ts";
import { showCoverage } from "./coverage.ts";
import { addScenario, listScenarios, runScenario, showScenario } from "./scenarios.ts";
import type { ScenarioShelf } from "./scenarios.ts";
import { control, textControl, Written } from "./control.ts";
import { dropPlans, listPlans, makePlan } from "./plans.ts";
import { dropWorld, listWorlds, makeWorld } from "./worlds.ts";
import { forkWorld, listSnapshots, restoreSnapshot, takeSnapshot } from "./snapshots.ts";
import { listActs, performAct } from "./acts.ts";
import { listAssumptions } from "../../platform/assumptions/listing.ts";
import { clearFaults, listFaults, makeFault, removeFault } from "./faults.ts";
import { listDeliveries, showDelivery } from "./deliveries.ts";
import { resendDeliveries, resendDelivery } from "./resending.ts";
import { showInbox } from "./inbox.ts";
import { showLedger } from "./ledger.ts";
import { listCollections, showResources } from "./resources.ts";
import { streamTimeline } from "./timeline-stream.ts";
import { showTimeline } from "./timeline.ts";
import { verifyDelivery } from "./verification.ts";

const YAML = "application/yaml; charset=utf-8";

type Answer = (request: ControlRequest) => ControlAnswer | Promise<ControlAnswer>;

/** What the sandbox's own API leaves to other rooms, and what guards it. */
export interface ControlOptions {
  /** The session with a world as a scenario file. */
  readonly recordingOf: (world: World) => Promise<string>;
  /** The scenarios that can be run here; opened when they are first asked for. */
  readonly openShelf: () => Promise<ScenarioShelf>;
  /** Wanted in the header `x-admin-token` of every request; nothing is wanted unless given. */
  readonly adminToken?: string;
}

/** Mounts the sandbox's own API under `/sandbox`, behind the admin token where one is set. */
export function mountControl(
  app: Hono,
  worlds: Worlds,
  { adminToken, recordingOf, openShelf }: ControlOptions,
): void {
  app.use("/sandbox/*", foreignPageGuard(worlds, { anyName: adminToken !== undefined }));
  if (adminToken !== undefined) app.use("/sandbox/*", adminGuard(worlds, adminToken));
  let opened: Promise<ScenarioShelf> | undefined;
  const shelf = (): Promise<ScenarioShelf> => (opened ??= openShelf());
  const routes: readonly (readonly [method: string, path: string, answer: Answer])[] = [
    ["GET", "/health", () => ({ status: "ok" })],
    ["GET", "/worlds", () => listWorlds(worlds)],
    ["POST", "/worlds", (request) => makeWorld(worlds, request)],
    ["DELETE", "/worlds/:id", (request) => dropWorld(worlds, request)],
    ["GET", "/clock", showClock],
    ["PUT", "/clock", setClock],
    ["POST", "/clock/advance", advanceClock],
    ["POST", "/reset", reset],
    ["GET", "/snapshots", listSnapshots],
    ["POST", "/snapshots", takeSnapshot],
    ["POST", "/snapshots/:id/restore", restoreSnapshot],
    ["POST", "/fork", (request) => forkWorld(worlds, request)],
    ["GET", "/acts", listActs],
    ["POST", "/acts/:act", performAct],
    ["GET", "/plans", listPlans],
    ["POST", "/plans", makePlan],
    ["DELETE", "/plans", dropPlans],
    ["GET", "/faults", listFaults],
    ["POST", "/faults", makeFault],
    ["DELETE", "/faults", clearFaults],
    ["DELETE", "/faults/:id", removeFault],
    ["GET", "/resources", listCollections],
    ["GET", "/resources/:collection", withOutcomes(showResources)],
    ["GET", "/resources/:collection/:id", withOutcomes(showResources)],
    ["GET", "/deliveries", withOutcomes(listDeliveries)],
    ["POST", "/deliveries/resend", withOutcomes(resendDeliveries)],
    ["GET", "/deliveries/:id", withOutcomes(showDelivery)],
    ["POST", "/deliveries/:id/resend", resendDelivery],
    ["POST", "/deliveries/:id/verify", withOutcomes(verifyDelivery)],
    ["GET", "/ledger", showLedger],
    ["GET", "/inbox", showInbox],
    ["GET", "/timeline", withOutcomes(showTimeline)],
    ["GET", "/recording", async ({ world }) => new Written(await recordingOf(world), YAML)],
    ["GET", "/coverage", withOutcomes(showCoverage)],
    ["GET", "/scenarios", async () => listScenarios(await shelf())],
    ["GET", "/scenarios/:name{.+}", async (request) => showScenario(await shelf(), request)],
    ["POST", "/scenarios/:name{.+}/run", async (request) => runScenario(await shelf(), request)],
    ["GET", "/assumptions", showAssumptions],
  ];
  app.get("/sandbox/timeline/stream", streamTimeline(worlds));
  app.post(
    "/sandbox/scenarios",
    textControl(worlds, async ({ text }) => addScenario(await shelf(), text)),
  );
  for (const [method, path, answer] of routes) app.on(method, `/sandbox${path}`, control(worlds, answer));
}

/** Waits a moment for webhook attempts in flight before a control that uses their outcomes; not with `wait=false`. */
function withOutcomes(answer: Answer): Answer {
  return async function answerWithOutcomes(request) {
    const { collection = "webhook-events" } = request.params;
    if (collection !== "webhook-events") return answer(request);
    if (request.query["wait"] === "false") request.world.takeInOutcomes();
    else await request.world.settledSoon();
    return answer(request);
  };
}

/** `POST /sandbox/reset`: exactly what a start gives. */
function reset({ world }: ControlRequest): object {
  world.reset();
  return { id: world.id, clock: showClock({ world }) };
}

/** `GET /sandbox/assumptions`: each with the value this world goes by. */
function showAssumptions({ world }: ControlRequest): object {
  return { data: listAssumptions(world.settings.assumptions) };
}
