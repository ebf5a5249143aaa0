import type { TimerKind, Transaction } from "../../../src/simulator/engine/transaction.ts";
import { atOnce } from "../../../src/base/long-work.ts";
import { collection } from "../../../src/simulator/engine/collection.ts";
import { expect, test } from "vitest";
import { INPUT_SIZE, type JournalEntry } from "../../../src/simulator/engine/journal.ts";
import { Refusal } from "../../../src/simulator/engine/refusal.ts";
import { Simulation } from "../../../src/simulator/engine/simulation.ts";

interface Note {
  readonly id: string;
  readonly text: string;
  readonly tags?: readonly string[];
}

const notes = collection<Note, "text">("notes", { text: (note) => note.text });

const write: TimerKind = {
  name: "write",
  fire: (tx, { owner: text }) => {
    tx.put(notes, { id: String(tx.count("notes")), text: `${text} at ${tx.now}` });
    tx.log({ kind: "note", objectId: null, what: text });
  },
};

/** The timer that writes the text of its owner. */
function writing(due: number, owner: string) {
  return { kind: "write", owner, due };
}

/** Arms another timer one step on, until there are enough. */
const echo: TimerKind = {
  name: "echo",
  fire: (tx, { input }) => {
    const { left, step } = input as { left: number; step: number };
    tx.log({ kind: "note", objectId: null, what: `echo ${left}` });
    if (left > 1) tx.arm(echoing(tx.now + step, left - 1, step));
  },
};

function echoing(due: number, left: number, step: number) {
  return { kind: "echo", owner: "the echo", due, input: { left, step } };
}

const cause = { by: "control", name: "test" } as const;

function open(limits = {}, perform: (tasks: readonly string[]) => void = () => undefined): Simulation {
  return new Simulation({ seed: 1, start: 1_000, timerKinds: [write, echo], perform, limits });
}

function run<T>(simulation: Simulation, command: (tx: Transaction) => T): T {
  const outcome = simulation.execute(cause, command);
  if (!outcome.ok) throw outcome.refusal;
  return outcome.value;
}

function texts(simulation: Simulation): string[] {
  return Array.from(simulation.records.all(notes), (note) => note.text);
}

test("a refused command leaves nothing behind: no record, timer, counter, task or journal entry", () => {
  const performed: string[] = [];
  const simulation = open({}, (tasks) => performed.push(...tasks));
  run(simulation, (tx) => tx.put(notes, { id: "a", text: "kept" }));
  run(simulation, (tx) => tx.chance("ids").uuid());
  const before = simulation.image();
  const outcome = simulation.execute(cause, (tx) => {
    tx.put(notes, { id: "a", text: "changed" });
    tx.put(notes, { id: "b", text: "new" });
    tx.delete(notes, "a");
    tx.arm(writing(1_500, "later"));
    tx.chance("ids").uuid();
    tx.task("x");
    throw new Refusal("NO", "no");
  });
  expect(outcome).toMatchObject({ ok: false, refusal: { code: "NO" } });
  expect(simulation.image()).toEqual(before);
  expect(simulation.records.find(notes, "text", "kept")).toHaveLength(1);
  expect(simulation.nextDue()).toBeUndefined();
  expect(performed).toEqual([]);
});

test("a command that fails on a bug is undone too, and the error is thrown", () => {
  const simulation = open();
  const broken = (): unknown =>
    simulation.execute(cause, (tx) => {
      tx.put(notes, { id: "a", text: "half" });
      throw new TypeError("a bug");
    });
  expect(broken).toThrow("a bug");
  expect(texts(simulation)).toEqual([]);
  expect(run(simulation, () => "still alive")).toBe("still alive");
});

test("a refusal has no stack, and an error after it has one", () => {
  const framesOf = ({ stack = "" }: Error): number => stack.split("\n").length - 1;
  expect([framesOf(new Refusal("NO", "No.")), framesOf(new Error("A bug.")) > 0]).toEqual([0, true]);
});

test("a timer runs at its own due time, not at the time moved to", () => {
  const simulation = open();
  run(simulation, (tx) => tx.arm(writing(1_500, "due")));
  expect(simulation.moveTo(9_000)).toBe(1);
  expect(texts(simulation)).toEqual(["due at 1500"]);
  expect(simulation.now).toBe(9_000);
});

test("timers due at one instant run in the order in which they were armed", () => {
  const simulation = open();
  run(simulation, (tx) => {
    for (const text of ["third", "first", "second"]) tx.arm(writing(text === "third" ? 3_000 : 2_000, text));
  });
  simulation.moveTo(3_000);
  expect(texts(simulation)).toEqual(["first at 2000", "second at 2000", "third at 3000"]);
});

test("a timer armed on the way still runs when it is due before the end", () => {
  const simulation = open();
  run(simulation, (tx) => tx.arm(echoing(1_100, 5, 100)));
  expect(simulation.moveTo(1_400)).toBe(4);
  expect(simulation.nextDue()).toBe(1_500);
});

test("a timer that is already due runs right after the command that armed it", () => {
  const simulation = open();
  const seen = run(simulation, (tx) => {
    tx.arm(writing(tx.now, "now"));
    return [...tx.all(notes)].length;
  });
  expect(seen).toBe(0);
  expect(texts(simulation)).toEqual(["now at 1000"]);
});

test("a record has one timer of a kind: arming it again moves it", () => {
  const simulation = open();
  run(simulation, (tx) => tx.arm(writing(2_000, "moved")));
  run(simulation, (tx) => tx.arm(writing(3_000, "moved")));
  expect(simulation.moveTo(5_000)).toBe(1);
  expect(texts(simulation)).toEqual(["moved at 3000"]);
});

test("the status of a record that follows a lifecycle changes by a transition only", () => {
  const lifecycle = {
    resource: "lamp",
    initial: "off",
    states: ["off", "on", "broken"],
    transitions: [{ from: ["off"], action: "switch", to: "on" }],
  };
  const lamps = collection<{ id: string; status: string }>("lamps", {}, lifecycle);
  const simulation = open();
  run(simulation, (tx) => tx.put(lamps, { id: "a", status: "off" }));
  const on = { id: "a", status: "on" };
  expect(() => run(simulation, (tx) => tx.put(lamps, on))).toThrow("became on without a transition");
  expect(() => run(simulation, (tx) => tx.put(lamps, { id: "b", status: "on" }))).toThrow("became on");
  run(simulation, (tx) => tx.transition(lamps, on, { from: ["off"], to: "on" }));
  expect(() =>
    run(simulation, (tx) =>
      tx.transition(lamps, { id: "a", status: "broken" }, { from: ["off"], to: "broken" }),
    ),
  ).toThrow("cannot go from on to broken");
});

test("a disarmed timer does not run", () => {
  const simulation = open();
  run(simulation, (tx) => tx.arm(writing(2_000, "never")));
  run(simulation, (tx) => tx.disarm("write", "never"));
  expect(simulation.nextDue()).toBeUndefined();
  expect(simulation.moveTo(5_000)).toBe(0);
});

test("a disarming that is refused leaves the timer armed", () => {
  const simulation = open();
  run(simulation, (tx) => tx.arm(writing(2_000, "still")));
  simulation.execute(cause, (tx) => {
    tx.disarm("write", "still");
    throw new Refusal("NO", "no");
  });
  expect(simulation.moveTo(2_000)).toBe(1);
});

test("timers that keep arming themselves at one instant are stopped by a named limit", () => {
  const simulation = open({ timersPerInstantMax: 10 });
  expect(() => run(simulation, (tx) => tx.arm(echoing(tx.now, 100, 0)))).toThrow("timersPerInstantMax");
});

test("time never goes back", () => {
  const simulation = open();
  simulation.moveTo(500);
  expect(simulation.now).toBe(1_000);
});

test("stored records cannot be changed from outside, however deep", () => {
  const simulation = open();
  const tags = ["a"];
  run(simulation, (tx) => tx.put(notes, { id: "a", text: "frozen", tags }));
  expect(() => tags.push("b")).toThrow(TypeError);
});

test("an index follows the records, also when a command is undone", () => {
  const simulation = open();
  run(simulation, (tx) => tx.put(notes, { id: "a", text: "x" }));
  expect(simulation.records.find(notes, "text", "x").map(({ id }) => id)).toEqual(["a"]);
  run(simulation, (tx) => tx.put(notes, { id: "a", text: "y" }));
  simulation.execute(cause, (tx) => {
    tx.put(notes, { id: "a", text: "z" });
    throw new Refusal("NO", "no");
  });
  expect(simulation.records.find(notes, "text", "x")).toEqual([]);
  expect(simulation.records.find(notes, "text", "y").map(({ id }) => id)).toEqual(["a"]);
  expect(simulation.records.find(notes, "text", "z")).toEqual([]);
});

test("the journal has each change with its cause, and a timer names the entry that armed it", () => {
  const simulation = open();
  run(simulation, (tx) => tx.arm(writing(2_000, "told")));
  simulation.moveTo(2_000);
  const [armed, fired] = simulation.journal.since(1);
  expect(armed).toMatchObject({ number: 1, at: 1_000, cause });
  expect(fired).toMatchObject({ number: 2, at: 2_000, cause: { by: "timer", name: "write", entry: 1 } });
  expect(fired?.changes.map((change) => change.collection)).toContain("notes");
});

test("a command that changes nothing is not in the journal", () => {
  const simulation = open();
  run(simulation, (tx) => tx.get(notes, "a"));
  expect(simulation.journal.nextNumber).toBe(1);
});

test("past its limit the journal drops its oldest entries and keeps their numbers", () => {
  const simulation = open({ journalEntriesMax: 8 });
  for (let count = 1; count <= 9; count++)
    run(simulation, (tx) => tx.log({ kind: "note", objectId: null, what: `entry ${count}` }));
  const entries = simulation.journal.since(1);
  expect(entries[0]?.number).toBe(3);
  expect(simulation.journal.entry(9)?.timeline[0]?.what).toBe("entry 9");
  expect(simulation.journal.nextNumber).toBe(10);
});

test("the journal names the entries with a word, also after it dropped its oldest entries", () => {
  const simulation = open({ journalEntriesMax: 100 });
  const wordsOf = ({ timeline }: JournalEntry) => timeline.map(({ what }) => what);
  const found = (word: string) => atOnce(simulation.journal.numbersWith(word, wordsOf));
  const log = (from: number, to: number) => {
    for (let count = from; count <= to; count++)
      run(simulation, (tx) =>
        tx.log({ kind: "note", objectId: null, what: count % 30 === 0 ? "rare" : "usual" }),
      );
  };
  log(1, 70);
  expect(found("rare")).toEqual([30, 60]);
  log(71, 95);
  expect(found("rare")).toEqual([30, 60, 90]);
  log(96, 130);
  expect(simulation.journal.since(1)[0]?.number).toBe(51);
  expect(found("rare")).toEqual([60, 90, 120]);
  expect(found("usual")).toHaveLength(77);
  expect(found("unknown")).toEqual([]);
});

test("past their limit the oldest notes are dropped and counted, and take no numbers of entries", () => {
  const simulation = open({ journalNotesMax: 4 });
  run(simulation, (tx) => tx.log({ kind: "note", objectId: null, what: "entry" }));
  for (let count = 1; count <= 5; count++) simulation.note({ by: "call", name: `read ${count}` });
  const { journal } = simulation;
  expect(journal.notesAfter(0).map(({ after, cause: { name } }) => [after, name])).toEqual([
    [1, "read 2"],
    [1, "read 3"],
    [1, "read 4"],
    [1, "read 5"],
  ]);
  expect([journal.noteCount, journal.notesAfter(4).length, journal.nextNumber]).toEqual([5, 1, 2]);
});

test("past the limit of characters the oldest notes are dropped, however few they are", () => {
  const simulation = open({ journalNoteCharactersMax: 100 });
  for (let count = 1; count <= 9; count++)
    simulation.note({ by: "call", name: `read ${count}`, input: { kind: "test", size: 20 } });
  const names = () => simulation.journal.notesAfter(0).map(({ cause: { name } }) => name);
  expect(names()).toEqual(["read 5", "read 6", "read 7", "read 8", "read 9"]);
  expect(simulation.journal.noteCount).toBe(9);
});

test("past the limit of characters the oldest entries lose their input and nothing else", () => {
  const simulation = open({ journalInputCharactersMax: 40_960 });
  for (let count = 1; count <= 4_096; count++) {
    const input = { kind: "test", size: 20 };
    simulation.execute({ by: "call", name: "c", input }, (tx) =>
      tx.log({ kind: "note", objectId: null, what: String(count) }),
    );
  }
  const entries = simulation.journal.since(1);
  const first = entries.findIndex(({ cause }) => cause.input !== undefined);
  expect([entries.length, first]).toEqual([4_096, 2_560]);
  expect(entries[0]).toMatchObject({
    number: 1,
    cause: { by: "call", name: "c" },
    timeline: [{ what: "1" }],
  });
});

test("past the limit of characters the search for inputs reads an entry of a storage only once", () => {
  let reads = 0;
  const stored: JournalEntry = {
    [INPUT_SIZE]: 0,
    number: 1,
    at: 0,
    get cause() {
      reads++;
      return { by: "call", name: "stored" };
    },
    timeline: [],
    changes: [],
  };
  const image = { ...open().image(), journal: { dropped: 0, entries: [stored] } };
  const limits = { journalInputCharactersMax: 40_960 };
  const options = { seed: 1, start: 0, timerKinds: [], limits };
  const simulation = new Simulation(options, image);
  const input = { kind: "test", size: 20 };
  for (let count = 2; count <= 3 * 4_096; count++)
    simulation.execute({ by: "call", name: "c", input }, (tx) =>
      tx.log({ kind: "note", objectId: null, what: String(count) }),
    );
  expect(reads).toBe(1);
  const first = simulation.journal.since(1).findIndex(({ cause }) => cause.input !== undefined);
  expect(first).toBe(3 * 4_096 - 30_720 / 20);
});

test("drawing from one stream does not change another", () => {
  const ids = (draw: boolean): string => {
    const simulation = open();
    if (draw) run(simulation, (tx) => tx.chance("faults").below(10));
    return run(simulation, (tx) => tx.chance("ids").uuid());
  };
  expect(ids(true)).toBe(ids(false));
});

test("the same seed and commands give the same journal, byte for byte", () => {
  const play = (): string => {
    const simulation = open();
    run(simulation, (tx) => tx.put(notes, { id: tx.chance("ids").uuid(), text: "one" }));
    run(simulation, (tx) => tx.arm(echoing(1_100, 3, 50)));
    simulation.moveTo(4_000);
    return JSON.stringify(simulation.journal.since(1));
  };
  expect(play()).toBe(play());
});

test("a simulation that continues from an image behaves like the original", () => {
  const first = open();
  run(first, (tx) => tx.arm(echoing(1_100, 4, 100)));
  first.moveTo(1_250);
  const options = { seed: 99, start: 0, timerKinds: [write, echo] };
  const second = new Simulation(options, first.image());
  for (const simulation of [first, second]) {
    simulation.moveTo(3_000);
    run(simulation, (tx) => tx.put(notes, { id: tx.chance("ids").uuid(), text: "same" }));
  }
  expect(JSON.stringify(second.journal.since(1))).toBe(JSON.stringify(first.journal.since(1)));
});

test("what happens after an image is taken does not change the image", () => {
  const simulation = open();
  run(simulation, (tx) => tx.put(notes, { id: "a", text: "then" }));
  const image = simulation.image();
  run(simulation, (tx) => tx.put(notes, { id: "a", text: "now" }));
  const restored = new Simulation({ seed: 1, start: 0, timerKinds: [] }, image);
  expect(texts(restored)).toEqual(["then"]);
  expect(texts(simulation)).toEqual(["now"]);
});

test("tasks are performed once the command is committed, and only then", () => {
  const seen: number[] = [];
  const simulation = open({}, () => seen.push(simulation.journal.nextNumber));
  run(simulation, (tx) => {
    tx.task("x");
    tx.put(notes, { id: "a", text: "x" });
    expect(seen).toEqual([]);
  });
  expect(seen).toEqual([2]);
});
