import type { AssumptionValues } from "./platform/assumptions/assumptions.ts";
import type { ClockMode } from "./worlds/clock.ts";
import type { Egress } from "./webhooks/egress-guard.ts";
import type { Log } from "./server/log.ts";
import type { SimulationOptions } from "./engine/simulation.ts";
import type { Transport } from "./webhooks/transport.ts";
import { addDuration, CLOCK_YEARS, isDuration, isOnTheClock, parseInstant } from "./engine/instant.ts";
import { closest } from "fastest-levenshtein";
import { createEgress } from "./webhooks/egress-guard.ts";
import { existsSync } from "node:fs";
import { SEED_MAX } from "./engine/random.ts";
import { readAssumptions } from "./platform/assumptions/reading.ts";

/** How a sandbox is made. */
export interface SandboxOptions {
  /** What ids and chance are drawn from; 1 unless given. */
  readonly seed?: number;
  /** RFC 3339 timestamp the clock starts at; the present unless given. */
  readonly start?: string;
  /** `frozen` unless given: time moves by `advance` alone. */
  readonly mode?: ClockMode;
  /** What the interface leaves open and this sandbox decides otherwise, by assumption id. */
  readonly assumptions?: Readonly<Record<string, unknown>>;
  /** A folder of fixtures; those that ship unless given. */
  readonly fixtures?: string;
  /** A scenario file that happens in the default world before anything else; options win over what it says. */
  readonly scenario?: string;
  /** Files and folders of provider states, besides those that ship. */
  readonly states?: readonly string[];
  /** Sends every webhook there. */
  readonly webhookUrl?: string;
  /** Wall time without a request after which a world other than the default one is dropped; PT1H unless given. */
  readonly worldIdle?: string;
  /** Keeps every world in this file; what it holds already wins over `start`, `mode` and `seed`. */
  readonly data?: string;
  /** What the header `x-admin-token` must carry for everything under `/sandbox`; open unless given. */
  readonly adminToken?: string;
  /** Where it says what happens on the side, such as a disk that is full; nowhere unless given. */
  readonly log?: Log;
  /** Addresses and CIDR ranges that the assumption `webhook.egress: hosted` allows beside the public internet. */
  readonly egressAllow?: readonly string[];
  /** Makes the webhook attempts; over the network unless given. */
  readonly transport?: Transport;
  /** Looks at every change as it is made. */
  readonly audit?: SimulationOptions["audit"];
}

/** The options by name, so that a misspelt one is found; the compiler holds the list to the interface. */
const OPTIONS: Readonly<Record<keyof SandboxOptions, true>> = {
  seed: true,
  start: true,
  mode: true,
  assumptions: true,
  fixtures: true,
  scenario: true,
  states: true,
  webhookUrl: true,
  worldIdle: true,
  data: true,
  adminToken: true,
  log: true,
  egressAllow: true,
  transport: true,
  audit: true,
};

/** Validates what the compiler cannot for those who write JavaScript. Throws an `OptionMistake`. */
export function validateOptions(options: SandboxOptions): void {
  const { seed, mode, webhookUrl, adminToken } = options;
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(OPTIONS, name));
  if (unknown !== undefined) {
    const meant = closest(unknown, Object.keys(OPTIONS));
    throw new OptionMistake(`There is no option "${unknown}". Did you mean ${meant}?`);
  }
  if (seed !== undefined && !(Number.isSafeInteger(seed) && seed >= 0 && seed <= SEED_MAX)) {
    throw new OptionMistake(
      `The seed must be a whole number from 0 to ${SEED_MAX}; found ${JSON.stringify(seed)}.`,
    );
  }
  if (mode !== undefined && mode !== "frozen" && mode !== "running") {
    throw new OptionMistake(`The mode must be frozen or running; found ${JSON.stringify(mode)}.`);
  }
  // In JavaScript null says, as nothing does, that every webhook goes where its company has it sent.
  if ((webhookUrl ?? null) !== null && !isHttpUrl(webhookUrl)) {
    throw new OptionMistake(
      `The webhookUrl must be an absolute http or https URL, such as http://127.0.0.1:4011/webhooks; found ${JSON.stringify(webhookUrl)}.`,
    );
  }
  if (
    adminToken !== undefined &&
    !(typeof adminToken === "string" && /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(adminToken))
  ) {
    throw new OptionMistake(
      "The adminToken must be a text of ASCII characters, without blanks around it: a header carries it.",
    );
  }
}

function isHttpUrl(text: unknown): boolean {
  return typeof text === "string" && /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** A sandbox cannot be made from what was given: a sentence a person can act on. */
export class OptionMistake extends Error {
  override readonly name = "OptionMistake";
}

/** Whether this process runs in a container, as Docker and Podman mark theirs and the image says everywhere else. */
function isContained(): boolean {
  const isNamed = process.env["container"] !== undefined;
  return isNamed || existsSync("/.dockerenv") || existsSync("/run/.containerenv");
}

/** Which mode holds is a world's own assumption; the guard's other settings are the server's. */
export function egressOf(allowList: readonly string[], forbiddenPorts: ReadonlySet<number>): Egress {
  try {
    return createEgress({ allowList, forbiddenPorts, isContained: isContained() });
  } catch (error) {
    throw new OptionMistake((error as Error).message);
  }
}

/** How long a world may go without a request, in milliseconds. Throws an `OptionMistake`. */
export function idleOf(worldIdle: string): number {
  const idleMs = isDuration(worldIdle) ? addDuration(0, worldIdle, "UTC") : 0;
  if (idleMs > 0 && idleMs <= IDLE_MAX_MS) return idleMs;
  throw new OptionMistake(
    `Failed to say when a world is idle: "${worldIdle}" is no duration up to P20D. Write one such as PT1H or P1D.`,
  );
}

/** Node's timers wait no longer than 24 days. */
const IDLE_MAX_MS = 20 * 86_400_000;

/** When the clock starts. Throws an `OptionMistake`. */
export function startOf(start: string): number {
  const instant = parseInstant(start);
  if (instant !== undefined && isOnTheClock(instant)) return instant;
  const why = instant === undefined ? "is no timestamp" : `is outside ${CLOCK_YEARS}`;
  throw new OptionMistake(
    `Failed to start the clock: "${start}" ${why}. Write one with its offset, such as 2026-11-20T09:00:00-03:00.`,
  );
}

/** What is assumed otherwise. Throws an `OptionMistake`. */
export function assumptionsOf(written: Readonly<Record<string, unknown>>): AssumptionValues {
  const { values, mistakes } = readAssumptions(written);
  if (mistakes.length > 0) throw new OptionMistake(mistakes.join("\n"));
  return values;
}
