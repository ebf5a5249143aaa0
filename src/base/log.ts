/** The log of a server: fields for programs, and a sentence for people. */
export interface Log {
  debug(fields: object, sentence: string): void;
  info(fields: object, sentence: string): void;
  warn(fields: object, sentence: string): void;
  error(fields: object, sentence: string): void;
  /** False if debug lines are discarded, so that they need not be composed. */
  readonly isDebugEnabled?: boolean;
}

const nothing = (): void => undefined;

/** Logs nothing: for a sandbox inside another program. */
export const SILENCE: Log = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  isDebugEnabled: false,
};
