import { isDuration, durationMs } from "../simulator/engine/instant.ts";
import { type PartnerCommand, partnerCommand, PARTNER_TIMEOUT_MS } from "../partner/partner-command.ts";
import type { ValuesOf } from "./command.ts";
import { readAs, text, toggle, typedAgain, url } from "./flags.ts";
import { UsageError } from "../base/failures.ts";
import type { Wall } from "../base/wall.ts";

/** The flags of a command that starts the partner's system itself. */
export const partnerFlags = {
  partner: text("Start your system with this command; it reads the sandbox's URL from SANDBANK_URL", {
    implies: "partner-ready",
    excludes: ["partner-start", "partner-stop"],
  }),
  "partner-start": text(
    "Start your system, which another program runs, with this command: docker start shop",
    {
      implies: ["partner-stop", "partner-ready"],
    },
  ),
  "partner-stop": text("Kill your system, which another program runs, with this command: docker kill shop", {
    implies: ["partner-start", "partner-ready"],
  }),
  "partner-ready": url("URL of your system that answers 2xx when it accepts requests", {
    needsOne: ["partner", "partner-start"],
  }),
  "partner-timeout": readAs(
    partnerTimeout,
    "Maximum time for the start of your system: a duration such as PT30S, or milliseconds [default: PT30S]",
  ),
  clock: toggle("Let the date and the timers of your system (a Node program) follow the sandbox's clock", {
    implies: "partner",
    excludes: ["partner-start"],
  }),
};

export type PartnerFlags = Partial<ValuesOf<typeof partnerFlags>>;

/** The time of a command, and the signal that ends its work. */
interface Commanded {
  readonly wall: Wall;
  readonly signal?: AbortSignal | undefined;
}

/** Returns the partner's system as these flags name it. Undefined without these flags. */
export function partnerOf(flags: PartnerFlags, { wall, signal }: Commanded): PartnerCommand | undefined {
  const { partner, "partner-start": start, "partner-stop": stop } = flags;
  const { "partner-ready": readyUrl, "partner-timeout": timeoutMs } = flags;
  const command = start === undefined || stop === undefined ? partner : { start, stop };
  if (command === undefined || readyUrl === undefined) return undefined;
  const isFollower = flags.clock === true;
  const ofCommand = { command, readyUrl, timeoutMs: timeoutMs ?? PARTNER_TIMEOUT_MS, isFollower };
  return partnerCommand({ ...ofCommand, wall, signal });
}

/** Does work while the partner's system runs, if it is named. The system ends afterwards. */
export async function withPartner<Result>(
  flags: PartnerFlags,
  commanded: Commanded,
  work: (partner: PartnerCommand | undefined) => Promise<Result>,
): Promise<Result> {
  const partner = partnerOf(flags, commanded);
  try {
    await partner?.start();
    return await work(partner);
  } finally {
    await partner?.end();
  }
}

/** Writes the same flags as on a command line, for a command that repeats this one. */
export function typedPartnerFlags(flags: PartnerFlags): string[] {
  if (flags["partner-ready"] === undefined) return [];
  return typedAgain(partnerFlags, flags);
}

/** Reads `--partner-timeout`: an ISO 8601 duration, or milliseconds. */
function partnerTimeout(written: string, flag: string): number {
  const timeoutMs = isDuration(written) ? durationMs(written) : Number(written);
  if (timeoutMs > 0 && timeoutMs <= 3_600_000) return timeoutMs;
  throw new UsageError(
    `${flag} must be a duration of an hour at most, such as PT30S, or milliseconds; found "${written}".`,
  );
}
