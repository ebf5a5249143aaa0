import { type Check, either } from "./observer.ts";
import { type Traffic, textAt } from "./traffic.ts";

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
