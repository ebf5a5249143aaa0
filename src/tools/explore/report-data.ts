/** A report of `sandbank explore --reporter json`, of one scenario or row of a matrix; `state` is the baseline's. A browser reads these
 * types too, so they are on their own. */
export interface ExploreResult {
  readonly scenario: string;
  readonly events: readonly { index: number; event: string; object: string }[];
  readonly calls: readonly { index: number; operation: string; object: string }[];
  readonly depth: number;
  readonly schedules: { readonly tried: number; readonly total: number; readonly skipped: number };
  readonly ignored: readonly string[];
  readonly notes: readonly string[];
  readonly notTried: readonly string[];
  readonly lints?: readonly { readonly lint: string; readonly message: string; readonly fix: string }[];
  readonly divergences: readonly Divergence[];
  readonly verdict: string;
  readonly reason?: string;
  readonly cells: readonly (Deviation & { result: string })[];
  readonly state?: unknown;
}

/** Happens to an event, to a call, or to a step that asks the partner's system. */
export type Deviation = { event?: number; call?: number; step?: number; kind: string; with?: number };

export interface Divergence {
  readonly deviations: readonly Deviation[];
  readonly differences: readonly { path: string; baseline: unknown; found: unknown }[];
  readonly words?: string;
  readonly arrivals: readonly Arrival[];
  readonly cause: string;
  readonly replay: string;
  readonly title: string;
  readonly books?: readonly { readonly lines: readonly string[] }[];
  readonly alike: readonly (readonly Deviation[])[];
  readonly state?: unknown;
}

export interface Arrival {
  readonly event: number | null;
  readonly name?: string;
  readonly attempt: number;
  readonly status: number | null;
  readonly error?: string;
  readonly together?: true;
  readonly early?: true;
}
