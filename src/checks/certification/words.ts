import type { Capability } from "./capabilities.ts";
import type { Counted, MissingPoint, PartName, PartVerdict } from "./counted.ts";
import type { PageWords } from "../../reports/page.ts";

/** The words of the document in one language. */
export interface Words {
  readonly title: Readonly<Record<PartVerdict, string>>;
  readonly verdicts: Readonly<Record<PartVerdict, string>>;
  readonly parts: Readonly<Record<PartName, string>>;
  readonly capabilities: Readonly<Record<Capability, string>>;
  readonly of: (partner: string) => string;
  readonly checked: string;
  readonly missing: string;
  readonly nothing: string;
  readonly how: string;
  readonly repeat: string;
  readonly secret: string;
  /** Says that the findings are in English. Undefined in English. */
  readonly findings: string | undefined;
  readonly columns: readonly [part: string, verdict: string, result: string];
  readonly page: PageWords;
  readonly factColumns: readonly [what: string, value: string];
  readonly facts: Readonly<Record<"partner" | "date" | "scope" | "seed" | "digest", string>>;
  readonly all: string;
  readonly summary: (counted: Counted) => string;
  readonly missingPoint: (point: MissingPoint) => string;
  /** Returns the sentences of the paragraph for a manager. Empty sentences are left out. */
  readonly paragraph: (told: Told) => readonly string[];
}

interface Told {
  readonly partner: string | undefined;
  readonly date: string;
  readonly scope: string;
  readonly version: string;
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  readonly open: readonly string[];
  readonly missing: number;
}
