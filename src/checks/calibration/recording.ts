import { HarFile } from "../../traffic/har-file.ts";
import { type HarExchange, harEntry, headerOf } from "../../traffic/har.ts";
import { parsed, textAt } from "../../simulator/engine/json.ts";
import { LOOPBACK } from "../../base/proxy.ts";
import { openRecorder } from "../../traffic/recorder.ts";
import { randomBytes } from "node:crypto";
import { Redactor } from "../../traffic/redaction.ts";
import { SIGNATURE_HEADER, signatureOf } from "../../simulator/api/signature.ts";
import { systemWall, type Wall } from "../../base/wall.ts";

export interface RecordingOptions {
  readonly wall?: Wall;
  /** The base URL of the platform. */
  readonly upstream: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** The partner's receiver. Without a receiver, no port is opened for webhooks. */
  readonly webhooksTo: string | undefined;
  readonly webhookPort: number;
  readonly out: string;
  readonly isRedacted: boolean;
  /** The known webhook secrets. Secrets in recorded answers are added. */
  readonly secrets: readonly string[];
  readonly version: string;
  readonly onWriteFailure: (error: Error) => void;
}

export interface Recording {
  readonly url: string;
  readonly webhookUrl: string | undefined;
  /** The number of recorded entries so far. */
  readonly count: number;
  close(): Promise<void>;
}

const REDACTED =
  "Tokens, secrets, card numbers and personal data are replaced by stand-ins of the same form.";

/** Opens the ports of a recording. Rejects with the operating system's error if a port or the file cannot be opened. */
export async function openRecording(options: RecordingOptions): Promise<Recording> {
  const { upstream, port, webhooksTo, webhookPort, out, isRedacted, version, wall = systemWall } = options;
  const file = await HarFile.create(out, { version, ...(isRedacted && { comment: REDACTED }) });
  const redactor = isRedacted ? new Redactor(randomBytes(32)) : undefined;
  const secrets = [...options.secrets];
  const failed = options.onWriteFailure;

  function write(exchange: HarExchange): void {
    const entry = harEntry(exchange);
    file.append(redactor === undefined ? entry : redactor.entry(entry)).catch(failed);
  }

  const calls = await openRecorder({
    wall,
    failed,
    port,
    targetOf: (path) => upstream.replace(/\/+$/, "") + path,
    shownUrl: (_request, target) => target,
    recorded: (exchange) => {
      const secret = webhookSecretIn(exchange);
      if (secret !== undefined && !secrets.includes(secret)) secrets.push(secret);
      write(exchange);
    },
  });
  try {
    const webhooks =
      webhooksTo === undefined
        ? undefined
        : await openRecorder({
            wall,
            failed,
            port: webhookPort,
            targetOf: (path) => webhookTarget(webhooksTo, path),
            // As the platform called it: by this an event is held against the URL that its object was given.
            shownUrl: ({ headers }, target, path) => {
              const url = `http://${headers.host ?? LOOPBACK}${path}`;
              return URL.canParse(url) ? url : target;
            },
            recorded: (exchange) =>
              write({ ...exchange, _direction: "webhook", ...signatureNote(exchange, secrets) }),
          });
    return {
      url: calls.url,
      webhookUrl: webhooks?.url,
      get count() {
        return file.count;
      },
      close: async () => {
        await Promise.all([calls[Symbol.asyncDispose](), webhooks?.[Symbol.asyncDispose]()]);
        await file.close();
      },
    };
  } catch (error) {
    await calls[Symbol.asyncDispose]();
    await file.close();
    throw error;
  }
}

/**
 * Returns the address for a webhook. A receiver with a path gets all webhooks there. A receiver without a path gets the
 * path of the webhook.
 */
function webhookTarget(receiver: string, path: string): string {
  const url = new URL(receiver);
  return url.pathname === "/" && url.search === "" ? url.origin + path : receiver;
}

/** Returns the secret that an answer with the webhook configuration shows. */
function webhookSecretIn({ url, status, responseBody }: HarExchange): string | undefined {
  if (status !== 200 || !/\/order\/v1\/webhook(\/rotate-secret)?$/.test(new URL(url).pathname))
    return undefined;
  return textAt(parsed(Buffer.from(responseBody).toString("utf8")), "secret");
}

/** Notes if a known secret signed these bytes. Empty while no secret is known. */
function signatureNote(
  { requestHeaders, requestBody }: HarExchange,
  secrets: readonly string[],
): Pick<HarExchange, "_signature"> {
  const header = headerOf(requestHeaders, SIGNATURE_HEADER.toLowerCase());
  if (header === undefined || requestBody === null || secrets.length === 0) return {};
  const secret = secrets.findLast((known) => signatureOf(known, requestBody) === header.trim());
  return { _signature: secret === undefined ? { fits: false } : { fits: true, secret } };
}
