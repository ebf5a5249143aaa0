import { shown } from "./mistake.ts";
import type { ScenarioStep } from "./scenario.ts";

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
    case "receiver": {
      const answers = [step.receiver.answers]
        .flat()
        .map((answer) =>
          typeof answer === "object" && answer !== null
            ? shown((answer as { status?: unknown }).status)
            : String(answer),
        );
      return `receiver answers ${answers.join(", ") || "as usual"}${step.receiver.always === true ? " for ever" : ""}`;
    }
    case "expect":
      return `expect ${Object.keys(step.expect).join(", ")}`;
  }
}
