import type { Deviation } from "./deviations.ts";
import type { Arrival, Divergence, ExploreResult } from "./exploration.ts";
import type { ComponentChildren as Content } from "preact";
import { html } from "../../pages/html/preact.js";
import { deviationText, KINDS, valueText } from "./deviation-words.ts";

/** The lanes from left to right: their names and places. */
const LANES = [
  ["platform", 45],
  ["wire", 200],
  ["your system", 355],
] as const;
const [[, PLATFORM], [, WIRE], [, SYSTEM]] = LANES;
const WIDTH = 400;
/** The height of one message with its answer, and of the name of its deviation. */
const STEP = 56;
const DEVIATION = 16;
const TOP = 30;
/** A longer text is cut at its beginning, since names of events begin with the same words. */
const TEXT_MAX = 46;

/** A message over the wire. */
interface Message {
  readonly text: string;
  readonly from: "platform" | "system";
  /** The answer, or the reason for its absence. */
  readonly answer: string;
  readonly isGood: boolean;
  /** The way that ends at the wire, because the message is lost there. */
  readonly ends?: "call" | "answer";
  /** The deviation that happens to it. */
  readonly deviation?: string;
  /** True if your system is killed here. */
  readonly isKilled?: boolean;
}

/** The course of a call for each deviation. */
const CALLS: Readonly<Record<string, Pick<Message, "answer" | "isGood" | "ends" | "isKilled">>> = {
  "call-refused": { answer: "503, nothing was done", isGood: false },
  "call-lost": { answer: "lost, nothing was done", isGood: false, ends: "call" },
  "call-answer-lost": { answer: "carried out, answer lost", isGood: false, ends: "answer" },
  "call-fails-after": { answer: "carried out, answered with 500", isGood: false },
  "call-slow": { answer: "carried out, answered late", isGood: true },
  "call-limited": { answer: "429, nothing was done", isGood: false },
  "token-expired": { answer: "401, the token is dead", isGood: false },
  "killed-in-call": { answer: "carried out, answer lost", isGood: false, ends: "answer", isKilled: true },
  "killed-after-call": { answer: "carried out", isGood: true, isKilled: true },
};

/** Draws a divergence: the calls and webhooks between the lanes, its deviations, and the first difference. */
export function Picture({
  divergence,
  result,
}: {
  readonly divergence: Divergence;
  readonly result: ExploreResult;
}): Content {
  const messages = messagesOf(divergence, result);
  const [difference] = divergence.differences;
  const heights = messages.map(({ deviation }) => STEP + (deviation === undefined ? 0 : DEVIATION));
  const topOf = (index: number): number => heights.slice(0, index).reduce((sum, one) => sum + one, TOP);
  const end = topOf(messages.length);
  const height = end + (difference === undefined ? 4 : 58);
  const label = messages.map(({ text, answer, deviation }) =>
    [text, answer, deviation].filter((part) => part !== undefined).join(", "),
  );
  const words = divergence.deviations.map((one) => `${deviationText(one)}: ${KINDS[one.kind]}.`);
  return html`<p class="soft">${words.join(" ")}</p>
    <svg
      class="sequence"
      viewBox=${`0 0 ${WIDTH} ${height}`}
      role="img"
      aria-label=${`Sequence: ${label.join("; ")}`}
    >
      ${LANES.map(
        ([name, x]) =>
          html`<text x=${x} y="14">${name}</text>
            <path class=${name === "wire" ? "wire" : "lane"} d=${`M${x} 22V${height}`} />`,
      )}
      ${messages.map((message, index) => html`<${Row} message=${message} top=${topOf(index)} />`)}
      ${difference !== undefined && html`<${Difference} difference=${difference} y=${end + 8} />`}
    </svg>`;
}

function Row({ message, top }: { readonly message: Message; readonly top: number }): Content {
  const { text, from, answer, isGood, ends, deviation, isKilled } = message;
  const y = top + 20 + (deviation === undefined ? 0 : DEVIATION);
  const [start, target] = from === "platform" ? [PLATFORM, SYSTEM] : [SYSTEM, PLATFORM];
  const back = from === "platform" ? -1 : 1;
  const tip = ends === "call" ? WIRE : target;
  const origin = ends === "call" ? undefined : target;
  const arrow = `M${start} ${y}H${tip}${ends === "call" ? "" : `m${7 * back} -4l${-7 * back} 4l${7 * back} 4`}`;
  const tone = isGood ? "good" : "bad";
  return html`<g class=${deviation === undefined ? undefined : "deviating"}>
    ${deviation !== undefined && html`<text x=${WIRE} y=${y - 6 - DEVIATION}>▸ ${deviation}</text>`}
    <text x=${WIRE} y=${y - 6}>${cut(text)}</text>
    <path d=${arrow} />
    ${
      deviation !== undefined &&
      ends !== "call" &&
      html`<path class="disturbance" d=${`M${WIRE - 5} ${y}l5 -5l5 5l-5 5z`} />`
    }
    ${
      origin !== undefined &&
      html`<path class=${`answer ${tone}`} d=${`M${origin} ${y + 14}H${ends === "answer" ? WIRE : start}`} />`
    }
    ${ends !== undefined && html`<${Cross} x=${WIRE} y=${ends === "call" ? y : y + 14} />`}
    ${isKilled === true && html`<${Cross} x=${SYSTEM} y=${y + 14} />`}
    <text x=${WIRE} y=${y + 18} class=${tone}>${cut(answer)}</text>
  </g>`;
}

function Cross({ x, y }: { readonly x: number; readonly y: number }): Content {
  return html`<path class="bad cross" d=${`M${x - 5} ${y - 5}l10 10m-10 0l10 -10`} />`;
}

function Difference({
  difference: { path, baseline, found },
  y,
}: {
  readonly difference: Divergence["differences"][number];
  readonly y: number;
}): Content {
  const x = path.startsWith("$platform") ? PLATFORM : SYSTEM;
  const isLeft = x === PLATFORM;
  const at = isLeft ? x + 10 : x - 10;
  const lines = [`differs: ${path}`, `baseline ${valueText(baseline)}`, `here ${valueText(found)}`];
  return html`<g class=${isLeft ? "difference at-start" : "difference"}>
    <circle class="bad" cx=${x} cy=${y + 8} r="5" />
    ${lines.map((text, index) => html`<text x=${at} y=${y + 12 + index * 16} class="bad">${cut(text, "end")}</text>`)}
  </g>`;
}

function cut(text: string, side: "start" | "end" = "start"): string {
  if (text.length <= TEXT_MAX) return text;
  return side === "start" ? `…${text.slice(1 - TEXT_MAX)}` : `${text.slice(0, TEXT_MAX - 1)}…`;
}

/** Returns the messages in their order. A disturbed call comes before the first event about its object. */
function messagesOf({ arrivals, deviations }: Divergence, result: ExploreResult): Message[] {
  const rows: { readonly event: number | null; readonly message: Message }[] = arrivals.map(
    (arrival, position) => ({
      event: arrival.event,
      message: webhookOf(arrival, { before: arrivals.slice(0, position), deviations, events: result.events }),
    }),
  );
  for (const deviation of deviations.toReversed()) {
    const message = callOf(deviation, result);
    if (message === undefined) continue;
    const { object } = result.calls.find(({ index }) => index === deviation.call) ?? {};
    const events = result.events.filter((one) => one.object === object);
    const about = new Set(events.map(({ index }) => index));
    const first = rows.findIndex(({ event }) => event !== null && about.has(event));
    rows.splice(Math.max(0, first), 0, { event: null, message });
  }
  return rows.map(({ message }) => message);
}

interface Context {
  readonly before: readonly Arrival[];
  readonly deviations: readonly Deviation[];
  readonly events: ExploreResult["events"];
}

function webhookOf(arrival: Arrival, { before, deviations, events }: Context): Message {
  const { event, name, attempt, status, error, early, together } = arrival;
  const isAgain = event !== null && before.some((other) => other.event === event);
  const deviation = deviations.find(
    (one) => one.event !== undefined && one.event === event && (!one.kind.startsWith("twice") || isAgain),
  );
  const known = name ?? events.find(({ index }) => index === event)?.event ?? "another event";
  const remarks = [
    attempt > 1 ? `, time ${attempt}` : "",
    early === true ? ", before the answer of the call" : "",
    together === true ? ", at the same moment" : "",
  ];
  const isLost = status === null && error === "reset";
  const kind = deviation?.kind;
  return {
    text: `${event === null ? "" : `${event} `}${known}${remarks.join("")}`,
    from: "platform",
    answer: isLost ? "answer lost" : String(status ?? error ?? "no answer"),
    isGood: status !== null && status < 300,
    ...(status === null && { ends: "answer" as const }),
    ...(kind !== undefined && { deviation: kind, isKilled: kind.startsWith("killed") && !isAgain }),
  };
}

function callOf({ call, step, kind }: Deviation, { calls }: ExploreResult): Message | undefined {
  if (step !== undefined)
    return {
      text: `step ${step}: the request is sent twice`,
      from: "system",
      answer: "",
      isGood: true,
      deviation: kind,
    };
  if (call === undefined) return undefined;
  const { operation = "" } = calls.find(({ index }) => index === call) ?? {};
  const end = CALLS[kind] ?? { answer: "", isGood: true };
  return { text: `call ${call} ${operation}`, from: "system", deviation: kind, ...end };
}
