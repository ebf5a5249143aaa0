import { Usage } from "../server/usage.ts";
import type { SandboxOptions } from "../server/settings/sandbox-options.ts";
import type { TestRecorder } from "../checks/doubt/test-recorder.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { isContained } from "../base/container.ts";
import { withoutQrImages } from "../simulator/qr-images/qr-images.ts";
import { loadFixtures } from "../server/access/fixture-files.ts";
import { Connections } from "../simulator/webhooks/kept-connections.ts";
import { createEgress } from "../simulator/webhooks/egress-guard.ts";
import { settings } from "../server/settings/settings.ts";
import { type Log, SILENCE } from "../base/log.ts";
import type { Telemetry } from "../server/telemetry.ts";
import { readTelemetry } from "../server/telemetry-setting.ts";

/** The parts that a sandbox needs before it opens its worlds. */
export type SandboxParts = Awaited<ReturnType<typeof partsOf>>;

/**
 * Reads the files that the options name, and opens what all worlds share. `listen` adds the sandbox's own port to the
 * forbidden ports, because no webhook may call it.
 */
export async function partsOf(options: SandboxOptions, hasTelemetry: boolean) {
  const recordFolder = process.env["SANDBANK_DOUBT_RECORD"];
  await checkStates(options.states);
  const opening = options.scenario === undefined ? undefined : await readOpening(options.scenario);
  const source = options.fixtures ?? opening?.fixtures;
  const fixtures = loadFixtures(source);
  const forbiddenPorts = new Set<number>();
  const allowList = options.egressAllow ?? [];
  const egress = createEgress({ allowList, forbiddenPorts, isContained: isContained() });
  const kept = new Connections({ keepAlive: true });
  // The recorder for SANDBANK_DOUBT_RECORD is loaded only if that variable is set.
  const recorder = recordFolder ? await openRecorder(recordFolder) : undefined;
  const worldRequests = options.worldRequests ?? settings["world-requests"].default;
  const usage = await Usage.open(worldRequests, options.worldMemory, options.metrics ?? false);
  const log = options.log ?? SILENCE;
  const telemetry = hasTelemetry ? await openTelemetry(log) : undefined;
  return {
    options,
    opening,
    source,
    fixtures,
    forbiddenPorts,
    egress,
    kept,
    recorder,
    usage,
    telemetry,
    log,
  };
}

/** Opens the sending of spans. OpenTelemetry is loaded only if the environment names a collector. */
async function openTelemetry(log: Log): Promise<Telemetry | undefined> {
  const asked = readTelemetry(process.env);
  if (asked === undefined) return undefined;
  if ("mistake" in asked) {
    // The variables may be meant for the program around the sandbox.
    log.warn({}, asked.mistake);
    return undefined;
  }
  const { Telemetry: Opened } = await import("../server/telemetry.ts");
  return new Opened(asked.protocol, log);
}

/** Opens the recorder of this sandbox for `sandbank doubt`. */
async function openRecorder(folder: string): Promise<TestRecorder> {
  const { TestRecorder: Recorder } = await import("../checks/doubt/test-recorder.ts");
  return new Recorder(folder, withoutQrImages);
}

/** Reads the opening scenario. The scenario modules are loaded only if there is one. */
async function readOpening(file: string): Promise<Scenario> {
  const { readOpening: read } = await import("../scenarios/opening.ts");
  return read(file);
}

/** Refuses wrong state files at the start. Their states are read when a verifier requests a state. */
async function checkStates(paths: readonly string[] = []): Promise<void> {
  if (paths.length === 0) return;
  const { stateLibrary } = await import("../contracts/states/state-library.ts");
  await stateLibrary(paths);
}
