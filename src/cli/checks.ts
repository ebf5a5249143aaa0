import { secretVariable } from "../server/settings/secret-variable.ts";

/** The keys about the process of the user's system. */
const PARTNER = ["partner", "partner-start", "partner-stop", "partner-ready"] as const;

/** The flag of each key of `checks`, by command. */
const FLAGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  check: {
    probe: "probe",
    secret: "secret",
    settle: "settle",
    port: "sandbox-port",
    ...named(...PARTNER),
  },
  "verify-receiver": named("secret"),
  certify: named("receiver", "probe", "reset", "port", "secret", "settle", ...PARTNER),
  explore: named("receiver", "probe", "reset", "port", "secret", "settle", ...PARTNER),
  run: named("receiver", "reset", "port", "secret", "settle", ...PARTNER),
  replay: named("receiver", "secret"),
  trigger: { receiver: "to", secret: "secret" },
};

function named(...keys: readonly string[]): Record<string, string> {
  return Object.fromEntries(keys.map((key) => [key, key]));
}

/** The commands whose first argument is the receiver. */
const OF_A_RECEIVER: ReadonlySet<string> = new Set(["check", "verify-receiver"]);

/** Flags that the user may replace by another flag. */
const INSTEAD: Readonly<Record<string, string>> = {
  reset: "reset-command",
  partner: "partner-start",
  "partner-start": "partner",
  "partner-stop": "partner",
};

/**
 * Returns the words of a command line with the flags that the section `checks` of the configuration file adds. All
 * commands that test the user's system read it. A typed flag overrides it.
 */
export async function withChecks(words: readonly string[]): Promise<readonly string[]> {
  const [first = "", second = ""] = words;
  const command = ["receiver", "contracts"].includes(first) ? second : first;
  const flags = FLAGS[command];
  const isTyped = (flag: string): boolean =>
    words.some((word) => word === `--${flag}` || word.startsWith(`--${flag}=`));
  if (flags === undefined || isTyped("help")) return words;
  const { checksOf } = await import("./config.ts");
  const checks = checksOf(process.env);
  // A variable overrides the file.
  if (secretVariable("SANDBANK_WEBHOOK_SECRET") !== undefined) delete checks["secret"];
  const { receiver } = checks;
  // A sandbox that is named has its own address, secret and clients.
  const isElsewhere = ["run", "trigger"].includes(command) && isTyped("target");
  if (isElsewhere) for (const key of ["port", "secret", ...PARTNER]) delete checks[key];
  const isSent = command === "trigger" && process.env["SANDBANK_WEBHOOK_URL"];
  if (!isTyped("receiver") && (isElsewhere || isSent)) delete checks["receiver"];
  const all = [...words];
  if (receiver !== undefined && OF_A_RECEIVER.has(command) && !/^\w/.test(words[2] ?? ""))
    all.splice(2, 0, receiver);
  const place = words.indexOf("--receiver");
  const isOpen = place >= 0 && !/^[^-]/.test(words[place + 1] ?? "");
  if (receiver !== undefined && isOpen) all.splice(place + 1, 0, receiver);
  for (const [key, flag] of Object.entries(flags)) {
    const value = checks[key];
    if (value !== undefined && !isTyped(flag) && !isTyped(INSTEAD[flag] ?? flag))
      all.push(`--${flag}`, value);
  }
  return all;
}
