/** A process of the partner's system that can be killed. `start` resolves when it accepts requests. */
export interface PartnerProcess {
  /** Called with the address of the sandbox before `start`. If it is present, the sandbox is opened on a port. */
  readonly listening?: (sandboxUrl: string) => void;
  readonly start: () => Promise<void>;
  readonly kill: () => Promise<void>;
  /** The reason why the process ended without a kill, and its last output. Undefined while it runs. */
  readonly ending?: () => string | undefined;
  /** The ids of its processes, if this machine shows them. */
  readonly pids?: () => readonly number[];
  /** Ends it at the end of the exploration; default: like `kill`. */
  readonly end?: () => Promise<void>;
}
