import { deliveries, deliveryLifecycle } from "./delivery.ts";
import { stateMachine } from "../state-machine.ts";

/** The only way for a delivery to get and change its status. */
export const deliveryStates = stateMachine(deliveries, deliveryLifecycle);
