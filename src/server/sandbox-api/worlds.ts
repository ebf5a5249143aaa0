import type { ControlRequest } from "./control.ts";
import type { Problem } from "../../engine/refusal.ts";
import type { World } from "../../worlds/world.ts";
import type { WorldSettings } from "../../worlds/saved-world.ts";
import type { Worlds } from "../../worlds/worlds.ts";
import { foundValue } from "../../api/found-value.ts";
import { WORLDS_MAX } from "../../worlds/worlds.ts";
import { accounts } from "../../platform/accounts/account.ts";
import { accessTokens } from "../../platform/companies/access.ts";
import { companies } from "../../platform/companies/company.ts";
import { Created, refuse, refuseProblems, refuseUnknown } from "./control.ts";
import { CLOCK_YEARS, isOnTheClock, parseInstant } from "../../engine/instant.ts";
import { readAssumptions } from "../../platform/assumptions/reading.ts";
import { showClock } from "./clock.ts";
import { validateShape } from "../../api/validation.ts";

interface WorldRequest {
  readonly name?: string;
  readonly seed?: number;
  readonly start?: string;
  readonly mode?: "running" | "frozen";
  readonly assumptions?: Readonly<Record<string, unknown>>;
  readonly webhookUrl?: string;
}

/** `GET /sandbox/worlds` */
export function listWorlds(worlds: Worlds): object {
  return { data: worlds.all().map(worldShape) };
}

/** `POST /sandbox/worlds` `{name?, seed?, start?, mode?, assumptions?, webhookUrl?}` */
export function makeWorld(worlds: Worlds, { body }: ControlRequest): Created {
  refuseProblems([
    ...validateShape("WorldRequest", body),
    ...assumptionProblems(worlds, body["assumptions"]),
  ]);
  requireRoom(worlds);
  const { name, ...settings } = body as WorldRequest;
  const world = worlds.create({ ...(name !== undefined && { name }), ...worldSettings(settings) });
  return new Created(worldShape(world));
}

/** Refuses where the server holds as many worlds as it can. */
export function requireRoom(worlds: Worlds): void {
  if (!worlds.isFull) return;
  refuse(
    "worlds",
    `A server holds at most ${WORLDS_MAX} worlds. Drop those you are done with: DELETE /sandbox/worlds/{id}. Idle ones are dropped by themselves, by default after an hour (--world-idle).`,
    "LIMIT",
  );
}

/** `DELETE /sandbox/worlds/{id}` */
export function dropWorld(worlds: Worlds, { params }: ControlRequest): object {
  const id = params["id"] ?? "";
  if (id === worlds.default.id) refuse("id", "The default world cannot be dropped. Reset it instead.");
  if (!worlds.drop(id)) refuseUnknown(`There is no world "${id}". GET /sandbox/worlds lists them.`);
  return { id, dropped: true };
}

/** A world with the credentials that lead into it. */
export function worldShape(world: World): object {
  const { records } = world;
  return {
    id: world.id,
    name: world.name,
    clock: showClock({ world }),
    companies: Array.from(records.all(companies), ({ id, clientId, clientSecret, webhook }) => ({
      id,
      clientId,
      clientSecret,
      token: Array.from(records.all(accessTokens)).find((token) => token.companyId === id)?.id,
      webhookSecret: webhook.secret,
      accounts: records.find(accounts, "company", id).map((account) => account.id),
    })),
  };
}

function worldSettings({ start, assumptions, ...rest }: Omit<WorldRequest, "name">): Partial<WorldSettings> {
  return {
    ...rest,
    ...(start !== undefined && { start: startOf(start) }),
    ...(assumptions !== undefined && { assumptions: readAssumptions(assumptions).values }),
  };
}

function startOf(start: string): number {
  const instant = parseInstant(start);
  if (instant !== undefined && isOnTheClock(instant)) return instant;
  const bounds = instant === undefined ? "" : ` in ${CLOCK_YEARS}`;
  return refuse(
    "start",
    `start must be a timestamp with its offset${bounds}, such as 2026-11-20T09:00:00-03:00; found ${foundValue(start)}.`,
  );
}

/** What is wrong with the assumptions, where they are an object at all. */
function assumptionProblems({ defaults }: Worlds, written: unknown): Problem[] {
  if (typeof written !== "object" || written === null || Array.isArray(written)) return [];
  const { mistakes } = readAssumptions(written as Readonly<Record<string, unknown>>, defaults.assumptions);
  return mistakes.map((description) => ({ field: "assumptions", issue: "INVALID", description }));
}
