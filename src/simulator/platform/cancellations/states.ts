import { announceCancellation } from "./events.ts";
import { cancellationAnswer, cancellationLifecycle, cancellations } from "./cancellation.ts";
import { stateMachine } from "../state-machine.ts";

export const cancellationStates = stateMachine(cancellations, cancellationLifecycle, {
  emit: announceCancellation,
  arm: { "cancellation.answer": cancellationAnswer.schedule },
});
