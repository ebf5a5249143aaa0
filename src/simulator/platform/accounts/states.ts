import { accountLifecycle, accounts } from "./account.ts";
import { stateMachine } from "../state-machine.ts";

export const accountStates = stateMachine(accounts, accountLifecycle);
