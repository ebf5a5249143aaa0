import { readdirSync, readFileSync } from "node:fs";

/** A process as `/proc` shows it. */
interface ShownProcess {
  readonly pid: number;
  readonly group: number;
}

/** True if this machine shows its processes in `/proc`, as Linux does. */
export const hasProc = process.platform === "linux";

/** Returns the ids of the processes of a group. Empty if `/proc` is missing. */
export function pidsOfGroup(group: number): number[] {
  return processes()
    .filter((one) => one.group === group)
    .map(({ pid }) => pid);
}

/** Returns the processes that have a variable with this value, each with its command. */
export function processesWith(variable: string, value: string): { pid: number; command: string }[] {
  const wanted = `${variable}=${value}`;
  return processes().flatMap(({ pid }) => {
    const variables = shown(`${pid}/environ`)?.split("\0") ?? [];
    if (!variables.includes(wanted)) return [];
    const command = shown(`${pid}/cmdline`)?.replaceAll("\0", " ").trim();
    return command === undefined || command === "" ? [] : [{ pid, command }];
  });
}

/** Adds up the activity of the threads of these processes. */
export function activityOf(pids: readonly number[]): {
  /** True if a thread runs, or waits for a processor or a disk. */
  readonly isBusy: boolean;
  readonly ranMs: number;
  /** The time that threads waited for a processor. */
  readonly waitedMs: number;
} {
  let [isBusy, ranMs, waitedMs] = [false, 0, 0];
  for (const pid of pids) {
    for (const thread of listed(`${pid}/task`)) {
      const state = statusIn(shown(`${pid}/task/${thread}/stat`))[0];
      if (state === "R" || state === "D") isBusy = true;
      const [ran = 0, waited = 0] = (shown(`${pid}/task/${thread}/schedstat`) ?? "").split(" ").map(Number);
      ranMs += ran / 1e6;
      waitedMs += waited / 1e6;
    }
  }
  return { isBusy, ranMs, waitedMs };
}

function processes(): ShownProcess[] {
  if (!hasProc) return [];
  return listed("").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const [state, , group] = statusIn(shown(`${name}/stat`));
    // A zombie has ended, and only its parent has not looked yet.
    return group === undefined || state === "Z" ? [] : [{ pid: Number(name), group: Number(group) }];
  });
}

/** Returns the fields after the name of a process, which may contain any character. */
function statusIn(stat: string | undefined): string[] {
  return stat === undefined ? [] : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** Returns the content of a file of `/proc`. Undefined if its process has ended. */
function shown(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, "utf8");
  } catch {
    return undefined;
  }
}

function listed(path: string): string[] {
  try {
    return readdirSync(`/proc/${path}`);
  } catch {
    return [];
  }
}
