/** sandbank as a library: a whole sandbox in your process, or a world on a running server, for tests. */
import "./base/supported-node.ts";

export { connectSandbox } from "./library/connect-sandbox.ts";
export { createSandbox } from "./library/sandbox.ts";
export { followClock } from "./library/follow-clock.ts";
export type { FollowClockOptions, FollowedClock, FollowedWorld } from "./server/access/followed-clock.ts";
export { explore } from "./library/explore.ts";
export type { ExplorationResult, ExploreOptions } from "./checks/explore/exploration.ts";
export { SandboxRefusal } from "./server/control/client.js";
export { OptionMistake } from "./server/settings/settings.ts";
export type {
  ActInput,
  CallOptions,
  ConnectedSandbox,
  DeliveryOf,
  FakePerson,
  NewFault,
  NewPlan,
  Resources,
  Sandbox,
  SandboxCompany,
  SandboxObject,
  SandboxWorld,
  WebhookDelivery,
} from "./server/access/sandbox-interface.ts";
export type { ConnectOptions, SandboxOptions } from "./server/settings/sandbox-options.ts";
export type {
  ActFields,
  ActName,
  CollectionName,
  EventName,
  OperationCalls,
  OperationId,
  PlanName,
  PlanOutcomes,
  WebhookEvents,
} from "./simulator/api/vocabulary.ts";
export type { EffectFields, EffectName as FaultEffectName } from "./simulator/platform/faults/effects.ts";
export type { AssumptionName, AssumptionSettings } from "./simulator/api/vocabulary.ts";
export type {
  AdvanceReport as AdvanceAnswer,
  Company,
  LoggedRequest,
  Snapshot,
} from "./simulator/api/generated/shapes.ts";
