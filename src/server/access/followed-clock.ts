/** The options of a program that follows the clock of a world. */
export interface FollowClockOptions {
  /** The name in lists and on the dashboard; default: the name of the program. */
  readonly name?: string;
  /** Milliseconds of real time without an open request until the program counts as idle; default: 5. */
  readonly settle?: number;
  /** Globs of the files whose timers stay real, such as `node_modules/pg/**`. */
  readonly real?: readonly string[];
  /** With `date` only `Date` follows the clock. All timers stay real. */
  readonly only?: "date";
  /** Maximum real time of a turn, as an ISO 8601 duration; default: `clock-turn-timeout` of the server. */
  readonly turnTimeout?: string;
  /**
   * Real time without contact until the follower is removed, as an ISO 8601 duration; default: `clock-lease` of the
   * server.
   */
  readonly lease?: string;
}

/** The world whose clock is followed. */
export interface FollowedWorld {
  /** The address of the server. */
  readonly url: string;
  /** The token of a company, to follow the clock of its world. */
  readonly token?: string;
  /** The id of the world; default: the world of the token, otherwise the default world. */
  readonly world?: string;
  /** The token that the server was started with (`--admin-token`). */
  readonly adminToken?: string;
}

/** The connection of this thread to the clock of a world. */
export interface FollowedClock {
  /** The id of the follower. */
  readonly id: string;
  /** Returns to the real clock. Pending timers are dropped. */
  stop(): Promise<void>;
}
