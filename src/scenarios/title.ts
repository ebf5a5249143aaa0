import { shown } from "./mistake.ts";
import { isRecord } from "./fixture.ts";
import type { ReceiverStep, ScenarioStep } from "./scenario.ts";

/** What a step does, in a few words: `call createSubscription`, `advance by P1D`. */
export function titleOf(step: ScenarioStep): string {
  switch (step.verb) {
    case "call":
      return `call ${step.call}`;
    case "act":
      return `act ${step.act}`;
    case "plan":
      return `plan ${step.plan} ${[step.outcomes].flat().join(", ")}`;
    case "advance": {
      if (typeof step.advance === "string") return `advance by ${step.advance}`;
      return `advance ${Object.entries(step.advance).flat().join(" ")}`;
    }
    case "fault":
      return `fault ${String(step.fault["effect"])} on ${String(step.fault["on"])}`;
    case "receiver":
      return receiverTitle(step.receiver);
    case "expect":
      return `expect ${Object.keys(step.expect).join(", ")}`;
  }
}

function receiverTitle({ answers, always, holds, replies }: ReceiverStep["receiver"]): string {
  if (replies !== undefined) return `receiver replies ${told(replies)}`;
  if (holds === true) return "receiver holds webhooks back";
  return `receiver answers ${told(answers) || "as usual"}${always === true ? " for ever" : ""}`;
}

/** Answers in a few words: a status, or the way in which none comes. */
function told(answers: unknown): string {
  return [answers ?? []].flat().map(toldOne).join(", ");
}

function toldOne(answer: unknown): string {
  if (!isRecord(answer)) return String(answer);
  if ("to" in answer) return `${toldOne(answer["answer"])} to the webhook ${shown(answer["to"])}`;
  return shown(answer["status"] ?? answer["error"]);
}
