// What the modules of this page give each other. A browser gets no file of types.
// oxlint-disable typescript/no-explicit-any -- each view knows what it loads, and the others need not

/** A place on the page: which view, which object of it, and how it is filtered. */
export type Address = { view: string; id?: string | undefined; query?: Record<string, string> };

/**
 * A view: one file of this folder and one line of `views.js`. Its data are loaded before it is shown, and again
 * whenever something happens in the world. `isPolled`: what it shows changes without the world. `loadOne` loads the
 * entry that is selected, and `One` shows it next to the list.
 */
export interface View {
  readonly title: string;
  readonly isPolled?: boolean;
  readonly load: () => Promise<any>;
  readonly List: (props: { data: any }) => any;
  readonly loadOne?: (id: string) => Promise<any>;
  readonly One?: (props: { data: any }) => any;
}

export type Loaded = { data: any; error?: undefined } | { data?: undefined; error: string };

/** A view with what was loaded for it. */
export type Shown = { view: View; address: Address; list: Loaded; one: Loaded | undefined };

export type Link = { href: string; text: string };
export type Notice = { id: number; message: string; tone: "good" | "bad"; link: Link | undefined };

/** The clock of the world as the sandbox answered it, and the instant of this page's own clock at which it did. */
export type Clock = { mode: "running" | "frozen"; now: string; readAt: number };

/** A world with the credentials that lead to it. */
export interface World {
  readonly id: string;
  readonly name: string;
  readonly server: string | null;
  readonly state: "awake" | "asleep";
  readonly clock: Pick<Clock, "mode" | "now">;
  readonly companies: readonly Company[];
}

export interface Company {
  readonly id: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly token?: string;
  readonly webhookSecret: string;
  readonly accounts: readonly string[];
}

export interface Act {
  readonly act: string;
  readonly collection: string;
  readonly summary: string;
  readonly from: readonly string[] | null;
  readonly schema: Schema | null;
}

/** How many objects a collection of the interface has, in all and in each status. */
/** A collection as `/sandbox/resources` lists it. */
export interface Collection {
  readonly collection: string;
  readonly count: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly noun: string;
  readonly ends: Readonly<Record<string, "good" | "bad" | "neutral">>;
  readonly origin: { readonly says: string; readonly operation?: string } | null;
  readonly scenario: string | null;
}

export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly description?: string;
}

/** One field of a form; `path` is where its value goes in the body, `preset` what is in it at first. */
export interface Field {
  readonly path: readonly string[];
  readonly kind: "text" | "number" | "choice" | "lines";
  readonly required: boolean;
  readonly choices: readonly string[];
  readonly hint: string;
  readonly example: string;
  readonly label?: string;
  readonly preset?: string;
}

/** What a list shows of an object. */
export type Summary = Record<"id" | "status" | "title" | "note" | "amount" | "at", string>;

/** As `/sandbox/deliveries` returns it. */
export type Delivery = Record<string, any>;

/** A call of the interface as `/sandbox/requests` returns it; `entry` is the journal entry of what it changed. */
export interface LoggedRequest {
  readonly id: string;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly operationId: string | null;
  readonly company: string | null;
  readonly status: number | null;
  readonly durationMs: number | null;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: string | null;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string | null;
  readonly injected: readonly string[];
  readonly entry: number | null;
}

/**
 * An entry of the timeline, with the fields of its kind; `entry` is the number of its journal entry, `causedBy` that of
 * the one that led to it.
 */
export type Entry = { at: string; kind: string; what: string; cause: string; entry: number } & {
  objectId: string | null;
  collection?: string | null;
  causedBy: number | null;
  error?: string | null;
} & Partial<Record<"resource" | "action" | "from" | "to" | "plan" | "outcome", string>>;

export type Scenario = { name: string; description: string | null; file: string | null };
