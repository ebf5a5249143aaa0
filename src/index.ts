/** sandbank as a library: a whole sandbox in your process, or a world on a running server, for tests. */
export { connectSandbox } from "./connect-sandbox.ts";
export { createSandbox } from "./sandbox.ts";
export { explore } from "./explore.ts";
export type { ExplorationResult, ExploreOptions } from "./explore.ts";
export { OptionMistake } from "./settings.ts";
export type {
  ActInput,
  AdvanceAnswer,
  Company,
  ConnectedSandbox,
  ConnectOptions,
  DeliveryOf,
  NewFault,
  NewPlan,
  Resources,
  Sandbox,
  SandboxObject,
  SandboxOptions,
  SandboxWorld,
  Snapshot,
  WebhookDelivery,
} from "./sandbox-interface.ts";
export type {
  ActFields,
  ActName,
  AssumptionName,
  AssumptionSettings,
  CollectionName,
  EffectFields,
  EventName,
  FaultEffectName,
  OperationId,
  PlanName,
  PlanOutcomes,
  WebhookEvents,
} from "./api/generated/vocabulary.ts";
export type { FakePerson } from "./scenarios/expression.ts";
export type { LoggedRequest } from "./worlds/request-log.ts";
