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
  /** The longest real time for a turn; default: that of the server. */
  readonly turnTimeout?: string;
  /** The longest real time of its absence before it is removed; default: that of the server. */
  readonly lease?: string;
}

/** The world whose clock is followed. */
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
  /** Returns to the real clock. Pending timers are dropped. */
  stop(): Promise<void>;
}
