import type { Sandbox } from "../server/access/sandbox-interface.ts";
import { ownLists } from "../server/access/fixture-files.ts";
import type { SandboxOptions } from "../server/settings/sandbox-options.ts";
import type { CallFaultListener } from "../server/interface/call-faults.ts";
import type { LoggedListener } from "../server/environment.ts";
import { createApp } from "./app.ts";
import { readOptions } from "../server/settings/settings.ts";
import { PlayedWorld } from "../server/access/played-world.ts";
import { recordedSession } from "../server/control/recorded-session.ts";
import type { OpenSandbox } from "../server/access/open-sandbox.ts";
import { DEFAULT_WORLD, type Worlds } from "../simulator/worlds/worlds.ts";
import { openWorldsOf } from "./open-worlds.ts";
import { type SandboxParts, partsOf } from "./parts.ts";
import { localSandbox } from "./local-sandbox.ts";
import { postedScenarios } from "./posted-scenarios.ts";

/** The number of the first journal entry after the fixtures. */
const FOUNDED = 2;

/**
 * Makes a sandbox in this process, with its own clock and worlds. It opens no port before `listen()`. Rejects with an
 * `OptionMistake` that names every wrong option.
 *
 * ```ts
 * await using sandbox = await createSandbox({ seed: 7, start: "2026-11-20T09:00:00-03:00" });
 * const { account } = sandbox.company("acme");
 * const { balance } = await sandbox.call("getAccountBalance", { accountId: account });
 * await sandbox.advance("P1M");
 * ```
 */
export async function createSandbox(given: SandboxOptions = {}): Promise<Sandbox> {
  return (await openSandbox(given, undefined, { hasTelemetry: true })).sandbox;
}

/**
 * Opens a sandbox like `createSandbox`, for a module of this package. `onCallFault` gets the calls that faults affect.
 * Tools open many sandboxes, so they send no spans to a collector.
 */
export async function openSandbox(
  given: SandboxOptions = {},
  onCallFault?: CallFaultListener,
  { hasTelemetry = false } = {},
): ReturnType<OpenSandbox> {
  const parts = await partsOf(readOptions(given), hasTelemetry);
  const { options, usage, fixtures, source, recorder, telemetry } = parts;
  const opened = await openWorldsOf(parts);
  const { openScenarios, openStates, close } = postedScenarios(
    opened.scenarios,
    options.states ?? [],
    openSandbox,
  );
  const { answer } = createApp(opened, {
    layers: usage.layers(opened),
    onCallFault,
    onLogged: both(recorder?.answered, telemetry?.answered),
    recordingOf: async (world) => {
      const { recordingOf } = await import("../scenarios/recording/recording.ts");
      const began = world.settings.fixtures ?? fixtures;
      // A recording with the name of a folder stays short.
      const isOfFolder = world.settings.fixtures === undefined && typeof source !== "object";
      return recordingOf(await recordedSession(world, began), isOfFolder ? source : ownLists(began));
    },
    openScenarios,
    openStates,
    adminToken: options.adminToken,
    calibrationReport: options.calibrationReport,
  });
  const sandbox = localSandbox(answer, opened, parts, close);
  const { worlds } = opened;
  await beginOpening(parts, sandbox, worlds);
  return { sandbox, worlds };
}

/** Returns a listener that calls both. */
function both(
  one: LoggedListener | undefined,
  other: LoggedListener | undefined,
): LoggedListener | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return (logged) => {
    one(logged);
    other(logged);
  };
}

/** Runs the opening scenario in the default world. Saved worlds have run it at their first start. */
async function beginOpening(
  { opening, options: { adminToken } }: SandboxParts,
  sandbox: Sandbox,
  worlds: Worlds,
): Promise<void> {
  // Another server may have the default world.
  if (opening === undefined || worlds.here(DEFAULT_WORLD)?.journal.nextNumber !== FOUNDED) return;
  const { playOpening } = await import("../scenarios/opening.ts");
  await playOpening(opening, {
    world: new PlayedWorld(worlds.default),
    seed: worlds.default.settings.seed,
    fetch: (asked) => sandbox.fetch(asked),
    adminToken,
  });
  worlds.default.beginHere(worlds.defaults.mode);
}
