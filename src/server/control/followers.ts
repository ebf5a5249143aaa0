import type { Follower as FollowerView } from "../../simulator/api/generated/shapes.ts";
import type { Follower, FollowerNews } from "../../simulator/worlds/followers.ts";
import type { World } from "../../simulator/worlds/world.ts";
import { formatInstant, durationMs } from "../../simulator/engine/instant.ts";
import { type Endpoint, instantOf, refuse, refuseUnknown, pathParameter } from "./endpoint.ts";
import { eventStream } from "./event-stream.ts";
import { Refusal } from "../../simulator/engine/refusal.ts";
import { STREAMS } from "./timeline.ts";

/** As many as a world may have streams. */
const FOLLOWERS_MAX = 64;

const OF_A_FOLLOWER = { id: pathParameter("The follower.", "f1") };

/** The programs that follow the clock of a world: how they register, get their turns and report. */
export const followerEndpoints = {
  addFollower: {
    method: "POST",
    path: "/sandbox/clock/followers",
    tag: "Time",
    summary: "Follow the clock",
    description:
      "A follower is removed if it has no open stream and sends nothing for the time of its lease.",
    request: "FollowerRequest",
    response: "Follower",
    successStatus: 201,
    answer: ({ world, worlds, body: { name, turnTimeout, lease, ...needs } }) => {
      if (world.followers.size >= FOLLOWERS_MAX)
        refuse(
          "name",
          `At most ${FOLLOWERS_MAX} programs follow the clock of a world. Stop some first.`,
          "LIMIT",
        );
      const { turnTimeoutMs, leaseMs } = worlds.followerLimits;
      const limits = { turnTimeoutMs: timeOf(turnTimeout, turnTimeoutMs), leaseMs: timeOf(lease, leaseMs) };
      return viewOf(world, world.followers.register(name, limits, needs));
    },
  } satisfies Endpoint<"FollowerRequest">,
  listFollowers: {
    method: "GET",
    path: "/sandbox/clock/followers",
    tag: "Time",
    summary:
      "List the followers of the clock, the next timer of each, and the followers that delay an advance",
    response: "FollowerList",
    answer: ({ world }) => ({
      data: world.followers.list().map((follower) => viewOf(world, follower)),
      awaited: world.followers.awaited?.id ?? null,
      turns: world.followers.turns.map(({ at, ...turn }) => ({ at: formatInstant(at), ...turn })),
    }),
  } satisfies Endpoint,
  updateFollower: {
    method: "PUT",
    path: "/sandbox/clock/followers/{id}",
    tag: "Time",
    summary: "Report the next timer of a follower",
    description:
      "Use it if a request or a webhook changes the next timer between turns. The answer has the time of the world.",
    parameters: OF_A_FOLLOWER,
    request: "FollowerNextRequest",
    response: "Follower",
    errors: ["NOT_FOUND"],
    answer: ({ world, params, body: { next, busy } }) => {
      const follower = followerOf(world, params);
      const changed = next === undefined ? {} : { next: next === null ? null : instantOf(next) };
      world.followers.update(follower, { ...changed, ...(busy !== undefined && { isBusy: busy }) });
      return viewOf(world, follower);
    },
  } satisfies Endpoint<"FollowerNextRequest">,
  removeFollower: {
    method: "DELETE",
    path: "/sandbox/clock/followers/{id}",
    tag: "Time",
    summary: "Stop following the clock",
    parameters: OF_A_FOLLOWER,
    response: "Removed",
    errors: ["NOT_FOUND"],
    answer: ({ world, params }) => {
      const follower = followerOf(world, params);
      world.followers.remove(follower);
      return { id: follower.id, dropped: true };
    },
  } satisfies Endpoint,
  streamTurns: {
    method: "GET",
    path: "/sandbox/clock/followers/{id}/turns",
    tag: "Time",
    summary: "Stream the turns of a follower as server-sent events",
    description:
      "`turn` has `{turn, now}`: set your clock to `now`, run your due timers, and report. `clock` has `{mode, now, pace}` and, while it runs, `offsetMs`: the clock was advanced, starts or stops running, was reset, or reached an instant that sends webhooks (`eachInstant`). An open stream is a sign of life.",
    parameters: OF_A_FOLLOWER,
    response: "TurnStream",
    gives: "text/event-stream",
    errors: ["NOT_FOUND"],
    limit: STREAMS,
    answer: (asked) => {
      const { world, params } = asked;
      const follower = followerOf(world, params);
      const waiting = [clockEvent({ ...world.clock.state(), event: "clock", now: world.now })];
      const listen = (wake: () => void): (() => void) =>
        world.followers.connect(follower, (news) => {
          if (news !== undefined) waiting.push(news.event === "turn" ? turnEvent(news) : clockEvent(news));
          wake();
        });
      return eventStream(asked, listen, async function* events(state) {
        yield "retry: 1000\n\n";
        while (!state.isOver) {
          const text = waiting.splice(0).join("");
          if (text !== "") yield text;
          else if (world.followers.get(follower.id) !== follower) return;
          else if (!(await state.news())) yield ": still here\n\n";
        }
      });
    },
  } satisfies Endpoint,
  endTurn: {
    method: "POST",
    path: "/sandbox/clock/followers/{id}/turns/{turn}",
    tag: "Time",
    summary: "Report the end of a turn",
    description:
      "The due timers have run, and the follower is idle. The report of an ended turn is refused with 409.",
    parameters: { ...OF_A_FOLLOWER, turn: pathParameter("The number of the turn.", "1") },
    request: "TurnRequest",
    response: "Follower",
    errors: ["NOT_FOUND", "ILLEGAL_ACT"],
    answer: ({ world, params, body: { next, ran } }) => {
      const follower = followerOf(world, params);
      const at = next === null ? null : instantOf(next);
      const isEnded = world.followers.report(follower, Number(params["turn"]), {
        next: at,
        ran,
      });
      if (!isEnded) throw isOver(follower, params["turn"]);
      return viewOf(world, follower);
    },
  } satisfies Endpoint<"TurnRequest">,
};

function followerOf(world: World, { id = "" }: { readonly id?: string }): Follower {
  const follower = world.followers.get(id);
  return (
    follower ??
    refuseUnknown(
      `There is no follower "${id.slice(0, 60)}" of this world. Register with POST /sandbox/clock/followers.`,
    )
  );
}

function isOver({ id }: Follower, turn = ""): Refusal {
  const description = `The turn "${turn.slice(0, 20)}" of the follower ${id} is over. The next advance gives it another one.`;
  return new Refusal("ILLEGAL_ACT", description, [{ field: "turn", issue: "ILLEGAL_ACT", description }]);
}

function viewOf(world: World, { id, name, next, turn, isBusy, push }: Follower): FollowerView {
  const atWork = turn === undefined ? isBusy && "busy" : "turn";
  const state = atWork || (push === undefined ? "away" : "idle");
  const clock = { now: formatInstant(world.now), mode: world.clock.mode };
  return { id, name, next: next === null ? null : formatInstant(next), state, ...clock };
}

function turnEvent({ turn, now }: Extract<FollowerNews, { event: "turn" }>): string {
  return eventOf("turn", { turn, now: formatInstant(now) });
}

function clockEvent({ mode, now, offsetMs }: Extract<FollowerNews, { event: "clock" }>): string {
  const clock = { mode, now: formatInstant(now) };
  return eventOf("clock", mode === "running" ? { ...clock, offsetMs, pace: 1 } : { ...clock, pace: 0 });
}

function eventOf(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Wall time in milliseconds. */
function timeOf(duration: string | undefined, defaultMs: number): number {
  return duration === undefined ? defaultMs : Math.min(durationMs(duration), 3_600_000);
}
