import type { SandboxOptions } from "../server/settings/sandbox-options.ts";
import type { WorldSettings } from "../simulator/worlds/world-settings.ts";
import { type OpenedWorlds, openWorlds, type UnstoredOptions } from "../server/opened-worlds.ts";
import { webhookTransport } from "../server/webhook-transport.ts";
import { isDatabaseUrl } from "../server/settings/data-location.ts";
import { endedAttempts } from "../simulator/platform/webhook-events/delivery.ts";
import { notSentLog } from "../server/logged-transport.ts";
import { Listeners } from "../simulator/webhooks/listeners.ts";
import { networkTransport, type Transport } from "../simulator/webhooks/transport.ts";
import { parseInstant, durationMs } from "../simulator/engine/instant.ts";
import { OptionMistake, settings } from "../server/settings/settings.ts";
import { withMutant } from "../checks/doubt/mutant-setting.ts";
import { readAssumptions } from "../simulator/platform/assumptions/reading.ts";
import type { WorldsOptions } from "../simulator/worlds/worlds.ts";
import type { SandboxParts } from "./parts.ts";

/**
 * Begins with the present time of the machine and returns the wall time in milliseconds. It moves with the monotonic
 * clock: if the machine's clock is set, the running worlds do not move.
 */
function monotonicWallClock(): () => number {
  const beganMs = Date.now() - performance.now();
  return () => Math.floor(beganMs + performance.now());
}

/** Returns the options of all worlds. */
async function worldsOptionsOf(parts: SandboxParts): Promise<UnstoredOptions> {
  const { options, opening, fixtures, egress, kept, recorder, usage, telemetry, log } = parts;
  const worldMax = options.worldDeliveries ?? settings["world-deliveries"].default;
  const listeners = new Listeners();
  const network = networkTransport(egress, { worldMax, kept, listeners });
  const { transport: given } = options;
  const own: Transport | undefined = given && ((requests) => listeners.send(requests, given));
  return {
    isFull: usage.isFull,
    fixtures,
    transportOf: (isStored) => webhookTransport({ own, network, log, usage, telemetry }, isStored),
    listeners,
    wallNow: monotonicWallClock(),
    followers: {
      turnTimeoutMs: durationMs(options.clockTurnTimeout ?? settings["clock-turn-timeout"].default),
      leaseMs: durationMs(options.clockLease ?? settings["clock-lease"].default),
    },
    stopped: (world, reason) => log.error({ world }, reason),
    followerGone: (world, { id, name }) =>
      log.warn({ world, follower: id }, `The follower "${name}" of the clock was silent and is removed.`),
    opensFrozen: opening !== undefined,
    idleMs: idleMsOf(options),
    consulted: recorder?.consulted,
    audit: auditOf(parts),
    defaults: await worldSettings(parts),
  };
}

/** In memory, worlds are dropped after an hour without use. A data file or a database keeps them. */
function idleMsOf({ worldIdle, data }: SandboxOptions): number | undefined {
  if (worldIdle === undefined) return data === undefined ? durationMs("PT1H") : undefined;
  return durationMs(worldIdle);
}

/** Returns the function that sees each journal entry: of the caller, of the recorder, of telemetry, and of the log. */
function auditOf({ options, recorder, telemetry }: SandboxParts): NonNullable<WorldsOptions["audit"]> {
  const logNotSent = options.log && notSentLog(options.log);
  return (simulation, entry, world) => {
    options.audit?.(simulation, entry);
    telemetry?.entered(simulation, entry, world);
    if (recorder !== undefined)
      for (const { delivery, attempt } of endedAttempts(entry))
        recorder.attempted(simulation, delivery.event, { ...attempt, body: attempt.requestBody as string });
    logNotSent?.(simulation, entry);
  };
}

/** Opens the worlds of a database, of a data file, or of the memory only. */
export async function openWorldsOf(parts: SandboxParts): Promise<OpenedWorlds> {
  const { options, log } = parts;
  const { data, assumptions, webhookUrl } = options;
  const worldsOptions = await worldsOptionsOf(parts);
  const { defaults } = worldsOptions;
  const given = {
    ...(assumptions && { assumptions: defaults.assumptions }),
    ...(webhookUrl !== undefined && { webhookUrl: defaults.webhookUrl }),
  };
  if (data === undefined || !isDatabaseUrl(data)) return openWorlds(worldsOptions, data, given, log);
  // Only a sandbox of several servers loads the cluster.
  const { openSharedWorlds } = await import("../server/cluster/open-shared-worlds.ts");
  return openSharedWorlds(worldsOptions, { ...sharedSettings(options), url: data, log, given });
}

/** Returns the settings of this server in a sandbox of several servers. */
function sharedSettings({ dataSchema, advertise, lease, worldSleep }: SandboxOptions) {
  return {
    schema: dataSchema ?? settings["data-schema"].default,
    advertise,
    leaseMs: durationMs(lease ?? settings.lease.default),
    unloadAfterMs: durationMs(worldSleep ?? settings["world-sleep"].default),
  };
}

/** Returns the settings of the default world. They come from the options, the opening scenario, or the mutant. */
async function worldSettings({ options, opening, recorder }: SandboxParts): Promise<WorldSettings> {
  const start = options.start ?? opening?.start;
  const { values, mistakes } = readAssumptions({ ...opening?.assumptions, ...options.assumptions });
  if (mistakes.length > 0) throw new OptionMistake(mistakes.join("\n"));
  const behaviour = await withMutant(process.env["SANDBANK_MUTANT"], values);
  recorder?.made(values);
  return {
    seed: options.seed ?? opening?.seed ?? 1,
    start: start === undefined ? null : (parseInstant(start) ?? null),
    mode: options.mode ?? "frozen",
    ...behaviour,
    webhookUrl: options.webhookUrl ?? opening?.webhookUrl ?? null,
  };
}
