/** A process of the partner's system that can be killed. `start` resolves when it accepts requests. */
export interface PartnerProcess {
  /** Called with the address of the sandbox before `start`. If it is present, the sandbox is opened on a port. */
  readonly listening?: (sandboxUrl: string) => void;
  readonly start: () => Promise<void>;
  readonly kill: () => Promise<void>;
  /** Returns the time from the begin of a kill to the death, as measured. It is missing if a kill takes no time. */
  readonly killMs?: () => number;
  /** Begins a kill. `kill` waits for its end. */
  readonly beginKill?: () => void;
  /** The reason why the process ended without a kill, and its last output. Undefined while it runs. */
  readonly ending?: () => string | undefined;
  /** The ids of its processes, if this machine shows them. */
  readonly pids?: () => readonly number[];
  /** Ends it at the end of the exploration; default: like `kill`. */
  readonly end?: () => Promise<void>;
}

/** A way to start the partner's system, and to kill it. */
export interface WayToRun extends Pick<PartnerProcess, "kill" | "killMs" | "beginKill" | "ending" | "pids"> {
  /** The command that starts it. */
  readonly command: string;
  /**
   * Starts the system. `isAnswering` is true if its URL answers already. Returns the reason if the start fails, and true
   * if the system runs already.
   */
  readonly start: (start: {
    readonly env: NodeJS.ProcessEnv;
    readonly isAnswering: boolean;
  }) => Promise<string | boolean>;
  /** Returns the last output, for the end of a sentence. */
  readonly written: () => string;
  /** Ends the work with the system. */
  readonly end: () => Promise<void>;
}
