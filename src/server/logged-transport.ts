import type { AttemptResult, WebhookRequest } from "../simulator/webhooks/attempt.ts";
import { commandLine } from "./control/shell.js";
import type { Log } from "../base/log.ts";
import type { SimulationOptions } from "../simulator/engine/simulation.ts";
import { originOf, type Transport } from "../simulator/webhooks/transport.ts";
import { allNotSent, NO_URL } from "../simulator/worlds/not-sent.ts";

/** The maximum number of remembered unreachable receivers. */
const LOGGED_MAX = 1_000;

/**
 * Returns a transport that logs why a receiver cannot be reached. It logs this once, until the receiver is reached
 * again. People who have just started both programs look for the reason there. Of the answers, it logs the first refusal
 * of a signature. Effects of faults are not logged.
 */
export function loggedTransport(transport: Transport, log: Log): Transport {
  const logged = new Set<string>();

  function logOnce(key: string, error: AttemptResult["error"], sentence: string): void {
    if (logged.has(key)) return;
    if (logged.size >= LOGGED_MAX) logged.clear();
    logged.add(key);
    log.warn({ error }, sentence);
  }

  function logResult({ url, manner, signedBy }: WebhookRequest, result: AttemptResult): void {
    const { status, error, message } = result;
    if (manner !== undefined) return;
    if (status === null) return logOnce(originOf(url), error, message);
    if (logged.size > 0) logged.delete(originOf(url));
    if (signedBy === undefined) return;
    const refused = `${url} ${signedBy}`;
    if (status === 401 || status === 403)
      logOnce(
        refused,
        error,
        `${message} The secret of the company ${signedBy} signed it. To test the receiver: ${commandLine(["sandbank", "receiver", "check", url, "--secret", "SECRET"])}`,
      );
    else logged.delete(refused);
  }

  return async (requests) => {
    const results = await transport(requests);
    for (const [index, request] of requests.entries()) {
      const result = results[index];
      if (result !== undefined && requests.length === 1) logResult(request, result);
    }
    return results;
  };
}

/** Logs the first event of each company that is not sent because it has no URL. */
export function notSentLog(log: Log): NonNullable<SimulationOptions["audit"]> {
  const logged = new Set<string>();
  return (_, entry) => {
    const [first] = allNotSent(entry);
    if (first === undefined || logged.size >= LOGGED_MAX) return;
    // All changes of one command belong to one company.
    const owners = entry.changes.flatMap(
      ({ after }) => (after as { companyId?: string } | undefined)?.companyId ?? [],
    );
    const company = owners[0] ?? "";
    if (logged.has(company)) return;
    logged.add(company);
    log.warn({ event: first.event }, `The webhooks of the company ${company} are not sent: ${NO_URL}.`);
  };
}
