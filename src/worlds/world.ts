import type { Cause, JournalEntry } from "../core/journal.ts";
import type { ClockMode } from "./world-clock.ts";
import type { LifeOptions } from "./life.ts";
import type { Outcome, Simulation, SimulationImage } from "../core/simulation.ts";
import type { RecordingMark } from "./recorder.ts";
import type { SavedWorld, WorldLog, WorldNews } from "./saved-world.ts";
import type { Transport } from "../webhooks/transport.ts";
import type { Transaction } from "../core/transaction.ts";
import type { WorldOptions, WorldOrigin, WorldSettings } from "./world-options.ts";
import type { AdvanceReport, AdvanceTarget, MoveTarget } from "./advance.ts";
import { advanceTo, beginning, instantOf, moveTo, reportOf } from "./advance.ts";
import { assume } from "../platform/assumptions/assumptions.ts";
import { Chronicle, UNKNOWN_PAST } from "./chronicle.ts";
import { Detour } from "./detour.ts";
import { known } from "../core/assertion.ts";
import { Life } from "./life.ts";
import { birthOf, originImage, originPast } from "./world-options.ts";
import { overrideWebhookUrl } from "../platform/world-settings.ts";
import { isDeepStrictEqual } from "node:util";
import { TokenExpiries } from "./token-expiries.ts";
import { WorldAlarm } from "./world-alarm.ts";
import { WorldClock } from "./world-clock.ts";

/** The snapshot that a reset gives back, in a world whose start is more than its fixtures. */
const START = "start";

/** One complete sandbox: a clock, and a life that can be begun again. */
export class World {
  readonly id: string;
  readonly name: string;
  readonly credentialSuffix: string;
  /** What is written down of it beside its journal. */
  readonly chronicle = new Chronicle();
  readonly #wallNow: () => number;
  readonly #log: WorldLog;
  readonly #clock: WorldClock;
  readonly #detour: Detour;
  readonly #snapshots: Map<string, SimulationImage> = new Map();
  readonly tokenExpiries: TokenExpiries;
  #settings: WorldSettings;
  #lifeOptions: LifeOptions;
  #life: Life;
  readonly #alarm = new WorldAlarm(() => {
    this.#catchUp();
    this.#setAlarm();
  });
  #advances: Promise<unknown> = Promise.resolve();

  constructor(options: WorldOptions, origin?: WorldOrigin) {
    const { id, name, credentialSuffix, fixtures, transport, wallNow, audit } = options;
    const { seed, mode, assumptions, webhookUrl } = options.settings;
    const start = options.settings.start ?? wallNow();
    this.id = id;
    this.name = name;
    this.#settings = { ...options.settings, start };
    this.credentialSuffix = credentialSuffix;
    this.#wallNow = wallNow;
    this.#log = options.log ?? (() => undefined);
    this.#detour = new Detour(transport);
    const founding = { fixtures, credentialSuffix, assumptions, webhookUrl };
    const committed = (entry: JournalEntry): void => this.#tell({ kind: "committed", entry });
    const timekeeper = { catchUp: () => this.#catchUp(), setAlarm: () => this.#setAlarm() };
    const common = { seed, start, founding, transport: this.#detour.transport, timekeeper, committed };
    this.#lifeOptions = { ...common, ...(audit && { audit }) };
    const image = originImage(origin);
    this.#clock = new WorldClock(mode, image?.now ?? start, wallNow);
    const saved = origin !== undefined && "saved" in origin ? origin.saved : undefined;
    this.tokenExpiries = new TokenExpiries(
      (token, expiresAt) => this.#tell({ kind: "token", token, expiresAt }),
      saved?.tokenExpiries,
    );
    if (saved !== undefined) {
      this.#clock.resume(saved.clock);
      this.#snapshots = new Map(saved.snapshots);
    } else {
      this.#tell(
        birthOf(origin, { name, settings: this.#settings, clock: this.#clock.state(image?.now ?? start) }),
      );
    }
    this.#life = this.#live(image, originPast(origin));
    this.#setAlarm();
  }

  /** What it was made with; `start` is the instant it began at. */
  get settings(): WorldSettings {
    return this.#settings;
  }

  get simulation(): Simulation {
    return this.#life.simulation;
  }

  get clockMode(): ClockMode {
    return this.#clock.mode;
  }

  /** The world's time, to which everything due has happened. */
  get now(): number {
    this.#catchUp();
    return this.simulation.now;
  }

  /** The records at the world's time, to read between commands. */
  get records(): Simulation["records"] {
    this.#catchUp();
    return this.simulation.records;
  }

  /** What happened so far, at the world's time. */
  get journal(): Simulation["journal"] {
    this.#catchUp();
    return this.simulation.journal;
  }

  get wallNow(): number {
    return this.#wallNow();
  }

  /** Takes a command at the world's time, after everything that was due before it. */
  execute<T>(cause: Cause, command: (tx: Transaction) => T): Outcome<T> {
    this.#catchUp();
    this.chronicle.requested(this.simulation.now);
    const outcome = this.simulation.execute(cause, command);
    this.#life.dispatcher.open();
    this.#setAlarm();
    return outcome;
  }

  /** Runs a command as it would have come out before a journal entry, without any trace. */
  executeBefore<T>(entry: number, cause: Cause, command: (tx: Transaction) => T): Outcome<T> {
    this.#catchUp();
    return this.simulation.executeBefore(entry, cause, command);
  }

  /** How long an attempt took in wall time, where that is still known. */
  attemptDurationMs(deliveryId: string, number: number): number | null {
    return this.#life.dispatcher.durationMs(deliveryId, number);
  }

  /** Resolves once no webhook is on its way any more. */
  settled(): Promise<void> {
    return this.#life.dispatcher.settled();
  }

  /** Hands every webhook attempt to another transport until the function it gives is called. */
  detour(transport: Transport): () => void {
    return this.#detour.take(transport);
  }

  /** Moves time on, drains everything that is due on the way, and tells what happened. One at a time. */
  advance(target: AdvanceTarget): Promise<AdvanceReport> {
    const moved = this.chronicle.mover();
    const advance = this.#advances.then(() => this.#advance(target, moved));
    this.#advances = advance.catch(() => undefined);
    return advance;
  }

  /** Moves time on at once, whatever webhooks are on their way: what is due happens, and nothing is waited for. */
  moveOn(target: MoveTarget): AdvanceReport {
    this.#catchUp();
    const { simulation, dispatcher } = this.#life;
    const since = beginning(simulation);
    const fired = moveTo({ simulation, dispatcher, to: instantOf(target, simulation.now) });
    this.chronicle.mover()(simulation.now, since.from);
    this.#setClock(this.#clock.mode);
    return { ...reportOf(simulation, since), fired };
  }

  /** Lets the clock run, or freezes it where it stands. */
  setClockMode(mode: ClockMode): void {
    this.#catchUp();
    this.#setClock(mode);
  }

  /** Goes on with other assumptions, or another webhook URL, than it was made with. */
  reconfigure(changed: Partial<Pick<WorldSettings, "assumptions" | "webhookUrl">>): void {
    const settings = { ...this.#settings, ...changed };
    if (isDeepStrictEqual(settings, this.#settings)) return;
    this.#settings = settings;
    const { assumptions, webhookUrl } = this.#settings;
    const founding = { ...this.#lifeOptions.founding, assumptions, webhookUrl };
    this.#lifeOptions = { ...this.#lifeOptions, founding };
    this.#tell({ kind: "settings", settings: this.#settings });
    this.execute({ by: "control", name: "settings" }, (tx) => {
      assume(tx, assumptions);
      overrideWebhookUrl(tx, webhookUrl);
    });
  }

  /** Gives back exactly what a start gives; with an instant the fixtures alone, on a clock that stands there. */
  reset(standsAt?: number): void {
    this.tokenExpiries.clear();
    if (standsAt === undefined && this.#snapshots.has(START)) return this.restore(START, this.settings.mode);
    this.#life.end();
    const start = standsAt ?? this.#lifeOptions.start;
    this.#tell({ kind: "begun", at: start });
    this.#life = Life.found({ ...this.#lifeOptions, start }, this.chronicle.begin());
    this.#setClock(standsAt === undefined ? this.settings.mode : "frozen");
  }

  /** Makes the world as it stands what a reset gives back, and lets its clock go on in `mode`. */
  beginHere(mode: ClockMode): void {
    this.#snapshots.set(START, this.image());
    this.#tell({ kind: "snapshot", snapshot: START, now: this.simulation.now });
    this.#settings = { ...this.#settings, mode };
    this.#tell({ kind: "settings", settings: this.#settings });
    this.#setClock(mode);
  }

  image(): SimulationImage {
    this.#catchUp();
    return this.chronicle.keep(this.simulation.image());
  }

  /** The snapshots taken of this world, oldest first. */
  get snapshots(): ReadonlyMap<string, SimulationImage> {
    return this.#snapshots;
  }

  /** Keeps the world as it stands; gives the id to come back by. */
  takeSnapshot(): string {
    const id = `s${this.#snapshots.size + 1}`;
    const image = this.image();
    this.#snapshots.set(id, image);
    this.#tell({ kind: "snapshot", snapshot: id, now: image.now });
    return id;
  }

  /** Goes on from one of its snapshots, in the clock mode that is set unless another is given. */
  restore(snapshot: string, mode: ClockMode = this.#clock.mode): void {
    const image = known(this.#snapshots.get(snapshot), `the snapshot ${snapshot}`);
    this.#life.end();
    this.#tell({ kind: "restored", snapshot });
    this.#life = this.#live(image, this.chronicle.markOf(image));
    this.#setClock(mode);
  }

  /** The world as it stands, to be kept beyond the process; what was due meanwhile is still due. */
  saved(): SavedWorld {
    const { id, name, settings, simulation } = this;
    return {
      id,
      name,
      settings,
      clock: this.#clock.state(simulation.now),
      image: simulation.image(),
      snapshots: new Map(this.#snapshots),
      tokenExpiries: this.tokenExpiries.saved(),
    };
  }

  /** Stops the clock for good; nobody hears of it any more. */
  close(): void {
    this.#alarm.set(undefined);
    this.chronicle.end();
    this.#life.end();
    this.#clock.set("frozen", this.simulation.now);
  }

  async #advance(target: AdvanceTarget, moved: ReturnType<Chronicle["mover"]>): Promise<AdvanceReport> {
    this.#catchUp();
    const { simulation, dispatcher } = this.#life;
    await dispatcher.settled();
    const since = beginning(simulation);
    const { fired, stoppedBy } = await advanceTo({ simulation, dispatcher, target });
    moved(simulation.now, since.from);
    if (simulation === this.simulation) this.#setClock(this.#clock.mode);
    return { ...reportOf(simulation, since), fired, ...(stoppedBy && { stoppedBy }) };
  }

  #setClock(mode: ClockMode): void {
    const { now } = this.simulation;
    this.#clock.set(mode, now);
    this.#tell({ kind: "clock", clock: this.#clock.state(now) });
    this.#setAlarm();
  }

  #tell(news: WorldNews): void {
    this.#log({ world: this.id, ...news });
  }

  #catchUp(): void {
    const { simulation, dispatcher } = this.#life;
    const now = Math.floor(this.#clock.read(simulation.now));
    if (now > simulation.now) moveTo({ simulation, dispatcher, to: now });
  }

  #live(image?: SimulationImage, past: RecordingMark = UNKNOWN_PAST): Life {
    if (image === undefined) return Life.found(this.#lifeOptions, this.chronicle.begin());
    return Life.resume(this.#lifeOptions, this.chronicle.begin(past), image);
  }

  /** Sees to it that a running world goes on when its next timer is due. */
  #setAlarm(): void {
    const due = this.#clock.mode === "running" ? this.simulation.nextDue() : undefined;
    this.#alarm.set(due === undefined ? undefined : due - this.#clock.read(this.simulation.now));
  }
}
