// The types that the modules of this page share. A browser gets no file of types.
// oxlint-disable typescript/no-explicit-any -- each view knows what it loads, and the others need not

import type { Shapes } from "../../../simulator/api/generated/shapes.ts";

/** A place on the page: which view, which object of it, and how it is filtered. */
export type Address = { view: string; id?: string | undefined; query?: Record<string, string> };

/**
 * A view: one file of this folder and one line of `views.js`. Its data are loaded before it is shown, and again
 * whenever something happens in the world. `loadOne` loads the selected entry, and `One` shows it next to the list.
 */
export interface View {
  readonly title: string;
  readonly load: () => Promise<any>;
  readonly List: (props: { data: any }) => any;
  readonly loadOne?: (id: string) => Promise<any>;
  readonly One?: (props: { data: any }) => any;
}

export type Loaded = { data: any; error?: undefined } | { data?: undefined; error: string };

/** A view with its loaded data. */
export type Shown = { view: View; address: Address; list: Loaded; one: Loaded | undefined };

export type Link = { href: string; text: string };
export type Notice = { id: number; message: string; tone: "good" | "bad"; link: Link | undefined };

/** The clock of the world as the sandbox answered it, and the instant of the answer by this page's own clock. */
export type Clock = Shapes["Clock"] & { readonly readAt: number };

/** An act with the schema of its fields. Its form is made from the schema. */
export type Act = Omit<Shapes["Act"], "schema"> & { readonly schema: Schema | null };

export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly description?: string;
}

/** One field of a form. `path` is the place of its value in the body, `preset` is its first value. */
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

/** The facts about an object in a list. */
export type Summary = Record<"id" | "status" | "title" | "party" | "note" | "amount" | "at", string>;

/** An entry of the timeline, with the fields of its kind. */
export type Entry = Shapes["TimelineLine"] & {
  readonly collection?: string | null;
  readonly error?: string | null;
} & Partial<Record<"resource" | "action" | "from" | "to" | "plan" | "outcome" | "delivery", string>>;
