/** Where the server says what happens: fields for a machine, and a sentence for a person. */
export interface Log {
  debug(fields: object, sentence: string): void;
  info(fields: object, sentence: string): void;
  warn(fields: object, sentence: string): void;
  error(fields: object, sentence: string): void;
  /** False where debug lines are told to nobody, so that none has to be put into words. */
  readonly tellsDebug?: boolean;
}

const nothing = (): void => undefined;

/** Says nothing: for a sandbox inside somebody else's process. */
export const SILENCE: Log = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  tellsDebug: false,
};
