import { type Check, either } from "./observer.ts";
import { type ShapeProblem, type Traffic, textAt } from "./traffic.ts";

/** Pictures of QR codes. */
export function* pictures(traffic: Traffic): Iterable<Check> {
  for (const call of traffic.done(
    "createSubscription",
    "createTransparentOrder",
    "createTransparentOrderV3",
    "getSubscription",
  )) {
    const picture =
      textAt(call.answer, "qrcodeImageBase64") ?? textAt(call.answer, "qrcodeDetail.imageBase64");
    if (picture === undefined || picture === "") continue;
    const kind = picture.startsWith("data:")
      ? "with a data: prefix"
      : picture.startsWith("iVBORw0KGgo")
        ? "a PNG in plain base64"
        : "another format";
    yield { expected: "a PNG in plain base64", found: kind, seen: [call] };
  }
}

/** The first difference that is about the shape: what a status may be, and the code of a rejection, are decided elsewhere. */
function shapeProblem({ problems, isRejection }: Held): ShapeProblem | undefined {
  return problems.find(
    ({ field, issue }) =>
      !(issue !== "REQUIRED" && /^(data\.)?status$/.test(field)) &&
      !(isRejection && /code|reason/i.test(field)),
  );
}

interface Held {
  readonly problems: readonly ShapeProblem[];
  readonly isRejection: boolean;
}

/** Whether answers fit their shape. */
export const answersFit = (...operations: readonly string[]) =>
  function* fitting(traffic: Traffic): Iterable<Check> {
    for (const call of traffic.done(...operations)) {
      const problem = shapeProblem({ problems: call.answerProblems, isRejection: false });
      yield either(
        problem === undefined,
        ["answers have the assumed fields", problem?.description ?? ""],
        [call],
        problem?.field ?? "",
      );
    }
  };

function isOfCharges(event: string): boolean {
  return event.startsWith("SUBSCRIPTION.SCHEDULED_PAYMENT.");
}

/** Whether events fit their shape; an event of another name under these counts, too. */
export const eventsFit = (...names: readonly string[]) =>
  function* fitting(traffic: Traffic): Iterable<Check> {
    for (const event of traffic.named(...names)) {
      if (/CANCELLATION/.test(event.event) || textAt(event.body, "type") === "REFUND") continue;
      if (isOfCharges(event.event) !== isOfCharges(names[0] ?? "")) continue;
      const problem = shapeProblem({
        problems: event.problems,
        isRejection: event.event.endsWith("SCHEDULED_PAYMENT.REJECTED"),
      });
      yield either(
        problem === undefined,
        ["events have the assumed names and fields", problem?.description ?? ""],
        [event],
        problem?.field ?? "",
      );
    }
  };

/** Whether every change of status is one that the table of its resource has. */
export const changesFit = (...resources: readonly string[]) =>
  function* fitting(traffic: Traffic): Iterable<Check> {
    for (const change of traffic.changes) {
      if (!resources.includes(change.resource)) continue;
      const found =
        change.verdict === "unknown"
          ? `${change.to} is not in the interface`
          : `${change.from} becomes ${change.to}`;
      const step = `${change.from ?? ""} ${change.to}`;
      yield either(
        change.verdict === "legal",
        ["statuses change as in the table", found],
        [change],
        change.verdict === "legal" ? "" : step,
      );
    }
  };

/** Events whose names say what they are about. */
export const noEvents = (name: RegExp) =>
  function* eventsOf(traffic: Traffic): Iterable<Check> {
    for (const event of traffic.events)
      if (name.test(event.event)) yield { expected: "no events", found: event.event, seen: [event] };
  };
