import type { AutopilotMode } from "../platform/assumptions/autopilot.ts";
import type { Definitions } from "../platform/catalog.ts";
import type { AssumptionId, Merged, areaAssumptions } from "../platform/assumptions/assumptions.ts";
import type { ShapeName, Shapes } from "./generated/shapes.ts";

// The words that users type, as types of the definitions in the catalog.

/** The merged contents that any of the definitions has under one name. */
type All<Definition, Name extends string> = Merged<
  Definition extends { readonly api: { readonly [N in Name]: infer Found } } ? Found : never
>;

/** The shape that a part names. Without a name it is unknown, which an intersection leaves out. */
type ShapeIn<Part, Name extends string> = Part extends { readonly [N in Name]: infer Shape extends ShapeName }
  ? Shapes[Shape]
  : unknown;

type Operations = All<Definitions, "operations">;

type PathOf<Operation> = Operation extends { readonly parameters: infer Parameters }
  ? { readonly [Name in keyof Parameters]: string }
  : object;

/**
 * The input and the answer of each operation that a company calls. The parameters of its path, its query and its body
 * are one object.
 */
export type OperationCalls = {
  readonly [Id in keyof Operations]: {
    readonly input: PathOf<Operations[Id]> &
      ShapeIn<Operations[Id], "query"> &
      ShapeIn<Operations[Id], "request">;
    readonly answer: ShapeIn<Operations[Id], "response">;
  };
} & {
  /** No resource of the catalog has the token endpoint. */
  readonly issueToken: { readonly input: Shapes["TokenRequest"]; readonly answer: Shapes["TokenResponse"] };
};

/** The operations of the platform API. */
export type OperationId = keyof OperationCalls;

type Events = All<Definitions, "events">;

/** The events that the platform sends. */
export type EventName = keyof Events;

/** The body of each webhook, by its event. */
export type WebhookEvents = {
  readonly [E in EventName]: Shapes[keyof Events[E]["shapes"] & ShapeName] & { readonly event: E };
};

/** The word before the dot in the names of acts. */
type PrefixOf<Definition> = Definition extends { readonly actPrefix: infer Prefix extends string }
  ? Prefix
  : Definition extends {
        readonly lifecycles: readonly [{ readonly resource: infer Noun extends string }, ...unknown[]];
      }
    ? Noun
    : never;

type ActsOf<Definition> = Definition extends { readonly acts: infer Acts; readonly name: infer Name }
  ? {
      readonly [Action in keyof Acts & string as `${PrefixOf<Definition>}.${Action}`]: {
        readonly fields: ShapeIn<Acts[Action], "fields">;
        readonly collection: Name;
      };
    }
  : never;

/**
 * The fields of each act except the id of its object, and the collection of that object, which is also its answer.
 */
export type Acts = Merged<ActsOf<Definitions>>;

/** The acts of the outside. */
export type ActName = keyof Acts;

/** The fields of an act, except the id of its object, by its name. */
export type ActFields = { readonly [Act in ActName]: Acts[Act]["fields"] };

/** An object of each resource as acts, and `/sandbox/resources`, show it; by the name of the resource. */
export type ResourceViews = {
  readonly [D in Definitions as D["name"]]: D extends { readonly view: (...given: never) => infer View }
    ? View
    : never;
};

/** The collections of `/sandbox/resources`. */
export type CollectionName = Listed<Definitions>["name"];

type Listed<Definition> = Definition extends { readonly listedIn: string }
  ? never
  : Definition extends { readonly view: unknown; readonly name: string }
    ? Definition
    : never;

type Steps = Definitions extends infer D
  ? D extends { readonly steps: readonly { readonly step: infer Step }[] }
    ? Step
    : never
  : never;

/** The outcomes of each plan, by its name. */
export type PlanOutcomes = {
  readonly [Step in Steps as Step["name"]]: Step["outcomes"][number];
};

/** The plans of the outside. */
export type PlanName = keyof PlanOutcomes;

/** The autopilot assumptions of the steps of the outside, by id. */
export type AutopilotSettings = {
  readonly [
    Step in Steps as Step["decidedBy"] extends null ? never : `autopilot.${Step["name"]}`
  ]?: AutopilotMode;
};

/** The ids of the assumptions. */
export type AssumptionName = AssumptionId | keyof AutopilotSettings;

/** The values of the assumptions that can be set. */
export type AssumptionSettings = AutopilotSettings & {
  readonly [Id in AssumptionId as Default<Id> extends null ? never : Id]?: Default<Id>;
};

type Default<Id extends AssumptionId> = (typeof areaAssumptions)[Id]["default"];
