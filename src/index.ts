/** sandbank as a library: a whole sandbox in your process, or a world on a running server, for tests. */
import "./process/supported-node.ts";

export { connectSandbox } from "./sandbox/connect-sandbox.ts";
export { createSandbox } from "./sandbox/sandbox.ts";
export { followClock } from "./tools/clock/follow-clock.ts";
export type { FollowClockOptions, FollowedClock, FollowedWorld } from "./access/followed-clock.ts";
export { explore } from "./sandbox/explore.ts";
export type { ExplorationResult, ExploreOptions } from "./tools/explore/exploration.ts";
export { SandboxRefusal } from "./control/client.js";
export { OptionMistake } from "./settings/settings.ts";
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
} from "./access/sandbox-interface.ts";
export type { ConnectOptions, SandboxOptions } from "./settings/sandbox-options.ts";
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
} from "./api/vocabulary.ts";
export type { EffectFields, EffectName as FaultEffectName } from "./platform/faults/effects.ts";
export type { AssumptionName, AssumptionSettings } from "./api/vocabulary.ts";
export type {
  AdvanceReport as AdvanceAnswer,
  Company,
  LoggedRequest,
  Snapshot,
} from "./api/generated/shapes.ts";
