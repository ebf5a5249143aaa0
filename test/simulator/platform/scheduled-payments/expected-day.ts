/**
 * What a charge due on 25 November goes through on its day, one outcome per attempt, written independently from the rules
 * alone: lines as `story` gives them. `delay` is the time in seconds from a settlement error to its resend.
 */
export function expectedDay(outcomes: readonly string[], delay: number): string[] {
  const lines: string[] = [];
  const say = (second: number, what: string) => [...lines, `2026-11-25 ${clock(second)} ${what}`];
  const [evening, end] = [at(18, 5), at(21, 0)];
  const left = [...outcomes];
  let now = at(0, 5);
  for (let resends = 0; ;) {
    const outcome = left.shift() ?? "SETTLED";
    if (outcome === "SETTLED") return say(now, "COMPLETED COMPLETED");
    if (outcome === "ERROR") return say(now, "ERROR ERROR");
    if (outcome === "INSUFFICIENT_BALANCE") {
      if (now >= evening) return say(end, "CANCELED_INSUFFICIENT_BALANCE CANCELED_INSUFFICIENT_BALANCE");
      now = evening;
      continue;
    }
    lines.push(...say(now, "CANCELLATION.ACCEPTED CANCELED SETTLEMENT_ERROR").slice(-1));
    if (resends === 3 || now + delay >= end) return lines;
    now += delay + 5;
    resends++;
    if (now >= end) return say(end, "ERROR ERROR");
    lines.push(...say(now, "ACCEPTED ACCEPTED").slice(-1));
  }
}

/** `18:05:00`: a second of the day as clocks show it. */
export function clock(second: number): string {
  return [second / 3600, (second / 60) % 60, second % 60]
    .map((part) => String(Math.floor(part)).padStart(2, "0"))
    .join(":");
}

function at(hours: number, minutes: number): number {
  return (hours * 60 + minutes) * 60;
}
