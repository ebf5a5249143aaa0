import { note, print } from "./standard-streams.ts";
import { type ValuesOf, command } from "./command.ts";
import { localUrl, targetFlag, text, url, worldFlag } from "./flags.ts";
import { CommandFailure } from "../base/failures.ts";
import { type ControlClient, ControlFailure, controlClient, streamEvents } from "../server/control/client.js";
import { type AttemptResult, type WebhookRequest, webhookSender } from "../server/access/webhook-sending.ts";
import { reopenedStream } from "./reopened-stream.ts";
import { secretVariable } from "../server/settings/secret-variable.ts";
import { useProxies } from "../base/proxies.ts";
import { visible } from "../base/visible-text.ts";
import { hostname } from "node:os";
import { randomUUID } from "node:crypto";

const flags = {
  target: targetFlag,
  token: text("Token of a company, or the admin token [default: SANDBANK_ADMIN_TOKEN]"),
  forward: url("Address of your webhook endpoint, which only this machine may reach", { demandOption: true }),
  world: worldFlag,
  events: text("Names of the events to take, with commas; all others go to their URL [default: all]"),
};

type ListenFlags = ValuesOf<typeof flags>;

/** The attempts of one event of the stream, as JSON. */
interface SentOrder {
  readonly order: number;
  readonly requests: readonly (Pick<WebhookRequest, "headers" | "deadlineMs" | "manner"> & {
    readonly event: string;
    readonly body: string;
  })[];
}

/**
 * `sandbank listen`: receives the webhooks of a world over one outgoing connection, sends each to an address of this
 * machine, and reports the answer as the answer of the attempt. It opens no port. Throws once the connection cannot be
 * opened again.
 */
export const listenCommand = command(flags, async (flags, wall) => {
  useProxies();
  const { forward, events } = flags;
  const listener = { id: randomUUID(), host: hostname(), forward, ...(events !== undefined && { events }) };
  const connect = (client: ControlClient): Promise<Response> =>
    client.open("GET /sandbox/listener/attempts", listener);
  const { client, result: first } = await clientFor(flags, connect);
  const sender = webhookSender({ keepAlive: true });
  const report = async (text: string): Promise<void> => {
    const { order, requests } = JSON.parse(text) as SentOrder;
    const sent = requests.map(({ headers, body, deadlineMs, manner }) => {
      const rest = { headers, deadlineMs, ...(manner && { manner }) };
      return { url: forward, body: Buffer.from(body, "base64"), ...rest };
    });
    // A request alone may use its whole deadline. Requests together wait for each other before their last byte.
    const [one, ...others] = sent;
    if (one === undefined) return;
    const results = others.length > 0 ? await sender.together(sent) : [await sender.post(one)];
    for (const [index, result] of results.entries()) print(lineOf(requests[index]?.event, result));
    await client.ask("POST /sandbox/listener/results", { id: listener.id, order, results: [...results] });
  };
  note(
    `Webhooks of ${flags.world ?? "the default world"} at ${client.url} go to ${forward}. Ctrl-C ends it.\n`,
  );
  for (let stream: Response | undefined = first; stream !== undefined;) {
    const ended = await readStream(stream, report);
    if (ended !== undefined)
      throw new CommandFailure(
        `Failed to listen at ${client.url}: ${ended} Webhooks go to their URL now. Start sandbank listen with a valid token.`,
      );
    stream = await reopenedStream(() => connect(client), wall);
  }
  throw new CommandFailure(
    `Failed to listen at ${client.url}: the connection ended, and it cannot be opened again. Webhooks go to their URL now. Check that the server runs and has the world.`,
  );
});

/**
 * Reads a stream until it ends, and makes its attempts at the same time. Returns the reason if the server ended the
 * stream for good.
 */
async function readStream(
  stream: Response,
  report: (text: string) => Promise<void>,
): Promise<string | undefined> {
  const failed = (error: Error): void =>
    note(`Failed to report an answer: ${error.message} The attempt counts as failed, and retries follow.\n`);
  try {
    for await (const { type, data = "" } of streamEvents(stream.body)) {
      if (type === "ended") return visible((JSON.parse(data) as { readonly message: string }).message);
      if (type === "attempt") void report(data).catch(failed);
    }
  } catch {
    // A connection that breaks ends a stream too.
  }
  return undefined;
}

/** Makes a call with `--token` as the token of a company. If the server does not know it, as the admin token. */
async function clientFor<Result>(
  { target: url = localUrl(), token, world }: ListenFlags,
  call: (client: ControlClient) => Promise<Result>,
): Promise<{ readonly client: ControlClient; readonly result: Result }> {
  const asAdmin = controlClient({ url, world, adminToken: token ?? secretVariable("SANDBANK_ADMIN_TOKEN") });
  if (token === undefined) return { client: asAdmin, result: await call(asAdmin) };
  const asCompany = controlClient({ url, world, token });
  try {
    return { client: asCompany, result: await call(asCompany) };
  } catch (error) {
    if (!(error instanceof ControlFailure) || error.status !== 401) throw error;
    return { client: asAdmin, result: await call(asAdmin) };
  }
}

/** Returns the line of an attempt. A 2xx answer needs no sentence. */
function lineOf(event = "", { status, error, message, durationMs }: AttemptResult): string {
  const shown = status === null ? String(error) : String(status);
  return `${visible(event)}  ${shown}  ${durationMs} ms${error === null ? "" : `  ${visible(message)}`}\n`;
}
