import { answerOf, callIdentities, namedCalls, type PlayedCall } from "./calls.ts";
import { eventIdentities, eventsOf, type FoundEvent, originals } from "./events.ts";
import { madeObjects, renamedObjects } from "./made-objects.ts";
import {
  type Naming,
  drawnNames,
  namesOf,
  nameText,
  originsIn,
  textsOf,
} from "../../partner/states/naming.ts";
import { counterparts } from "./occurrences.ts";
import type { Played } from "./played.ts";
import type { PlayedDelivery } from "../../server/access/played-world.ts";

/** The knowledge about the texts of a run, from two runs without deviations. */
interface Learned {
  readonly baseline: Played;
  /** The events of the baseline. */
  readonly events: readonly FoundEvent[];
  /** The random texts that the steps saved and sent. Every run has them if its steps succeed. */
  readonly drawnBySteps: ReadonlyMap<string, string>;
  readonly drawn: ReadonlyMap<string, string>;
  /** The texts of the state that both runs have and that are no names. */
  readonly constants: ReadonlySet<string>;
}

/** Learns names from two runs without deviations. */
export function learnNames(first: Played, second: Played): RunNames {
  const drawnBySteps = drawnNames(first.origins, second.origins, [namingByRun(first), namingByRun(second)]);
  const namings = [first, second].map((run) => namingBySteps(run, drawnBySteps)) as [Naming, Naming];
  const events = eventsOf(first, namings[0]);
  const none = { drawn: new Map(), constants: new Set<string>() };
  const bySteps = new RunNames({ baseline: first, events, drawnBySteps, ...none });
  const origins = bySteps.originsOf(first);
  const drawn = drawnNames(origins, bySteps.originsOf(second), namings);
  const names = namesOf(origins, drawn);
  const texts = textsOf(second.state);
  const constants = new Set(
    Array.from(textsOf(first.state)).filter((text) => texts.has(text) && !names.has(text)),
  );
  return new RunNames({ baseline: first, events, drawnBySteps, drawn, constants });
}

/**
 * The names for the texts that exist only in one run, such as ids. They are learned from two runs without deviations,
 * so a text has the same name in every run.
 */
export class RunNames {
  readonly #learned: Learned;
  #madeInBaseline: ReturnType<typeof madeObjects> | undefined;
  readonly #namings = new WeakMap<Played, Naming>();
  readonly #identified = new WeakMap<Played, Map<PlayedDelivery, FoundEvent>>();

  constructor(learned: Learned) {
    this.#learned = learned;
  }

  /** The events of the baseline. */
  get events(): readonly FoundEvent[] {
    return this.#learned.events;
  }

  naming(run: Played): Naming {
    const known = this.#namings.get(run);
    if (known !== undefined) return known;
    const namesOfRun = (): Naming["names"] =>
      new Map([...namesOf(this.originsOf(run), this.#learned.drawn), ...this.renames(run)]);
    let names: Naming["names"] | undefined;
    const naming = {
      // Most states have only texts that every run has.
      get names() {
        return (names ??= namesOfRun());
      },
      run: run.run,
      constants: this.#learned.constants,
    };
    this.#namings.set(run, naming);
    return naming;
  }

  /**
   * Returns the names of objects that a run made under other names than the baseline, each with the name in the
   * baseline.
   */
  renames(run: Played): Map<string, string> {
    if (run === this.#learned.baseline) return new Map();
    this.#madeInBaseline ??= this.#made(this.#learned.baseline);
    return renamedObjects(this.#madeInBaseline, this.#made(run));
  }

  /** Returns the objects that the calls of a run made. */
  #made(run: Played): ReturnType<typeof madeObjects> {
    const names = namesOf(this.originsOf(run), this.#learned.drawn);
    return madeObjects(run.calls, (text) => nameText(text, { names, run: run.run }));
  }

  /** Returns every text of a run by its origin. Events have the numbers of the baseline. */
  originsOf(run: Played) {
    const origins = new Map(run.origins);
    for (const [delivery, event] of this.identified(run)) {
      for (const [name, text] of originsIn(JSON.parse(delivery.body), "event"))
        origins.set(name.replace("event.", `event ${event.index} `), text);
    }
    for (const [call, counterpart] of this.#knownCalls(run)) {
      const index = this.#learned.baseline.calls.findIndex(({ id }) => id === counterpart.id) + 1;
      for (const [name, text] of originsIn(answerOf(call), "call"))
        origins.set(name.replace("call.", `call ${index} `), text);
    }
    return origins;
  }

  /** Returns the calls of a run that are calls of the baseline, each with its counterpart. */
  #knownCalls(run: Played): Map<PlayedCall, PlayedCall> {
    const [own, known] = [run, this.#learned.baseline].map((of) =>
      namedCalls(of.calls, namingBySteps(of, this.#learned.drawnBySteps)),
    );
    return counterparts(own!, known!, callIdentities);
  }

  /** Adds the object in the baseline whose call made the object of each event. */
  #withMakers<Event extends FoundEvent>(
    run: Played,
    events: readonly Event[],
  ): (Event & { readonly madeBy: string | undefined })[] {
    const calls = this.#knownCalls(run);
    return events.map((event) => {
      const isMaker = ([{ object }]: [PlayedCall, PlayedCall]): boolean =>
        event.name !== "" && object.split(" ").includes(event.name);
      const [, known] = Array.from(calls).find(isMaker) ?? [];
      return { ...event, madeBy: known && `${known.operation} ${known.object}` };
    });
  }

  /** Returns the deliveries of a run that are events of the baseline, without copies. */
  identified(run: Played): ReadonlyMap<PlayedDelivery, FoundEvent> {
    const known = this.#identified.get(run);
    if (known !== undefined) return known;
    const found = new Map<PlayedDelivery, FoundEvent>();
    this.#identified.set(run, found);
    const deliveries = originals(run);
    const events = this.#withMakers(run, eventsOf(run, namingBySteps(run, this.#learned.drawnBySteps)));
    const inBaseline = this.#withMakers(this.#learned.baseline, this.events);
    for (const [event, counterpart] of counterparts(events, inBaseline, eventIdentities)) {
      const delivery = deliveries[event.index - 1];
      if (delivery !== undefined) found.set(delivery, counterpart);
    }
    return found;
  }
}

function namingByRun({ run }: Played): Naming {
  return { names: new Map(), run };
}

/** Returns the names of the texts that the steps of a run saved and sent. */
function namingBySteps({ origins, run }: Played, drawnBySteps: ReadonlyMap<string, string>): Naming {
  return { names: namesOf(origins, drawnBySteps), run };
}
