import type { AdvanceReport, AdvanceTarget, MoveTarget } from "./advance.ts";
import type { ClockMode, ClockState, WorldClock } from "./world-clock.ts";
import type { Life } from "./life.ts";
import type { Timekeeper } from "../webhooks/dispatcher.ts";
import { advanceTo, beginning, instantOf, moveTo, reportOf } from "./advance.ts";
import { assertDefined } from "../engine/assertion.ts";
import { WorldAlarm } from "./world-alarm.ts";

/** Hears of a move of time that was asked for, once it is made. */
type Moved = (at: number, from: number) => void;

/**
 * How time goes by in a world: the life that is lived there now, the clock that says what time it should be, and
 * the alarm that wakes a running world when something is due. It alone moves a life on.
 */
export class WorldTime implements Timekeeper {
  readonly #clock: WorldClock;
  readonly #noteClock: (clock: ClockState) => void;
  readonly #alarm = new WorldAlarm(() => {
    this.catchUp();
    this.setAlarm();
  });
  #life: Life | undefined;
  #advances: Promise<unknown> = Promise.resolve();

  constructor(clock: WorldClock, noteClock: (clock: ClockState) => void) {
    this.#clock = clock;
    this.#noteClock = noteClock;
  }

  /** The life that is lived now, wherever it stands. */
  get life(): Life {
    return assertDefined(this.#life, "the life of a world");
  }

  /** The life at the world's time, to which everything due has happened. */
  get present(): Life {
    this.catchUp();
    return this.life;
  }

  get mode(): ClockMode {
    return this.#clock.mode;
  }

  /** The clock as it stands, to be kept. */
  get clock(): ClockState {
    return this.#clock.state(this.life.simulation.now);
  }

  /** Goes on with another life, in place of the one before. */
  begin(life: Life): void {
    this.#life = life;
    this.setAlarm();
  }

  /** Lets the clock go on in `mode` from where the life stands. */
  setMode(mode: ClockMode): void {
    this.#clock.set(mode, this.life.simulation.now);
    this.#noteClock(this.clock);
    this.setAlarm();
  }

  /** Moves time on, drains everything that is due on the way, and tells what happened. One at a time. */
  advance(target: AdvanceTarget, moved: Moved): Promise<AdvanceReport> {
    const advance = this.#advances.then(() => this.#advance(target, moved));
    this.#advances = advance.catch(() => undefined);
    return advance;
  }

  /** Moves time on at once, whatever webhooks are on their way: what is due happens, and nothing is waited for. */
  moveOn(target: MoveTarget, moved: Moved): AdvanceReport {
    const { simulation, dispatcher } = this.present;
    const since = beginning(simulation);
    const fired = moveTo({ simulation, dispatcher, to: instantOf(target, simulation.now) });
    moved(simulation.now, since.from);
    this.setMode(this.mode);
    return { ...reportOf(simulation, since), fired };
  }

  /** Lets everything happen that became due while the clock ran. */
  catchUp(): void {
    const { simulation, dispatcher } = this.life;
    const now = Math.floor(this.#clock.read(simulation.now));
    if (now > simulation.now) moveTo({ simulation, dispatcher, to: now });
  }

  /** Sees to it that a running world goes on when its next timer is due. */
  setAlarm(): void {
    const { simulation } = this.life;
    const due = this.mode === "running" ? simulation.nextDue() : undefined;
    this.#alarm.set(due === undefined ? undefined : due - this.#clock.read(simulation.now));
  }

  /** Stops for good, where the life stands; nobody is told. */
  stop(): void {
    this.#alarm.set(undefined);
    this.#clock.set("frozen", this.life.simulation.now);
  }

  async #advance(target: AdvanceTarget, moved: Moved): Promise<AdvanceReport> {
    const { simulation, dispatcher } = this.present;
    await dispatcher.settled();
    const since = beginning(simulation);
    const { fired, stoppedBy } = await advanceTo({ simulation, dispatcher, target });
    moved(simulation.now, since.from);
    // Another life may have begun meanwhile, whose clock is not for this move to set.
    if (simulation === this.life.simulation) this.setMode(this.mode);
    return { ...reportOf(simulation, since), fired, ...(stoppedBy && { stoppedBy }) };
  }
}
