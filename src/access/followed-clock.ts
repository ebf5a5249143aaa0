/** How a program follows the clock of a world. */
export interface FollowClockOptions {
  /** As lists and the dashboard show it; default: the name of the program. */
  readonly name?: string;
  /** Milliseconds of real time without an open request after which the program is idle; default: 5. */
  readonly settle?: number;
  /** Globs of the files whose timers stay real, such as `node_modules/pg/**`. */
  readonly real?: readonly string[];
  /** `date` leaves all timers real. */
  readonly only?: "date";
  /** How long it may take for a turn, in real time; default: that of the server. */
  readonly turnTimeout?: string;
  /** How long it may be away before it is removed, in real time; default: that of the server. */
  readonly lease?: string;
}

/** Where the world is whose clock is followed. */
export interface FollowedWorld {
  /** The address of the server. */
  readonly url: string;
  /** The token of a company of the world; default: the default world. */
  readonly token?: string;
  /** The id of the world. */
  readonly world?: string;
  /** The token that the server was started with (`--admin-token`). */
  readonly adminToken?: string;
}

/** A clock that this process follows. */
export interface FollowedClock {
  /** The id of the follower. */
  readonly id: string;
  /** Goes back to the real clock; timers that are pending do not run any more. */
  stop(): Promise<void>;
}
