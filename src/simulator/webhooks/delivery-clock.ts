/** The clock of the world as deliveries need it. */
export interface DeliveryClock {
  readonly mode: "running" | "frozen";
  /** True if the world is only read: due timers do not fire. */
  readonly isReadOnly: boolean;
  /** True while the clock is advanced. */
  readonly isMoving: boolean;
  /** Moves the simulation to the world's time. */
  readonly catchUp: () => void;
  /** Schedules the next timer of a running world. */
  readonly scheduleNext: () => void;
}
