import { type Endpoint, type WorldAsked, refuseUnknown, valueOf, pathParameter } from "./endpoint.ts";
import type { ActRequest, ActsQuery } from "../../simulator/api/generated/shapes.ts";
import type { Act } from "../../simulator/platform/resource.ts";
import type { World } from "../../simulator/worlds/world.ts";
import { foundValue } from "../../simulator/api/found-value.ts";
import { acts, assumptions, lifecycles, objects } from "../../simulator/platform/catalog.ts";
import { actsFrom } from "../../simulator/engine/lifecycle.ts";
import { assumedValue } from "../../simulator/platform/assumptions/assumptions.ts";
import { companies } from "../../simulator/platform/companies/company.ts";
import { isReadable } from "./readable.ts";
import { inlinedSchema } from "../../simulator/api/schemas.ts";
import { assertDefined } from "../../simulator/engine/assertion.ts";
import { suggestion } from "../../simulator/engine/suggestion.ts";
import { shapeProblems } from "../../simulator/api/validation.ts";
import { withoutQrImages } from "../../simulator/qr-images/qr-images.ts";

/** Acts: what someone outside the platform would do. */
export const actEndpoints = {
  listActs: {
    method: "GET",
    path: "/sandbox/acts",
    tag: "Outside",
    summary: "List the acts",
    description:
      "Each act has its collection, its possible states and the schema of its fields. `object` selects the acts that this object accepts now.",
    query: "ActsQuery",
    response: "ActList",
    answer: listActs,
  } satisfies Endpoint<never, "ActsQuery">,
  performAct: {
    method: "POST",
    path: "/sandbox/acts/{act}",
    tag: "Outside",
    summary: "Perform an act",
    description:
      "Answers with the changed object. With `wait: true` it first attempts the webhooks of the act. If the object's status does not allow the act, the refusal names the possible acts.",
    parameters: { act: pathParameter("The act.", "account.deposit") },
    request: "ActRequest",
    response: "AnyObject",
    errors: ["NOT_FOUND", "ILLEGAL_ACT"],
    problems: (asked) => {
      const { id, fields, act } = performance(asked);
      if (typeof id === "string") return shapeProblems(act.fields ?? "NoFields", fields);
      const found = id === undefined ? "nothing" : foundValue(id);
      const description = `id must name an object of ${act.collection}; found ${found}.`;
      return [{ field: "id", issue: "REQUIRED", description }];
    },
    answer: async (asked) => {
      const { world, body, inbound } = asked;
      const { id = "", fields, act } = performance(asked);
      const changed = valueOf(
        world.execute(
          { by: "act", name: act.name },
          (tx) => {
            act.run(tx, id, fields);
            return assertDefined(objects.get(act.collection)?.get(tx, id), `the object of ${act.name}`);
          },
          inbound,
        ),
      );
      if (body.wait === true) await world.settled();
      if (!isReadable(asked.url, asked.headers)) return changed;
      return JSON.parse(withoutQrImages(JSON.stringify(changed))) as object;
    },
  } satisfies Endpoint<"ActRequest">,
};

function listActs({ world, query: { object } }: WorldAsked<object, ActsQuery>): object {
  const isAssumed = (id: string): boolean => {
    const set = assumedValue(world.records, id);
    return set !== undefined && set !== assumptions[id]?.default;
  };
  const listed = [...acts.values()].filter((act) => object === undefined || isPossible(world, act, object));
  const data = listed.map(({ name, collection, fields, summary, from }) => ({
    act: name,
    collection,
    summary,
    fields,
    from: from ?? statesBefore(name, isAssumed),
    schema: fields === null ? null : inlinedSchema(fields),
  }));
  return { data };
}

/**
 * Returns true if an act on an object would be accepted now, as far as it needs no details. The act is tried, and its
 * changes are discarded.
 */
function isPossible({ simulation, records }: World, act: Act, id: string): boolean {
  if (objects.get(act.collection)?.get(records, id) === undefined) return false;
  if (shapeProblems(act.fields ?? "NoFields", {}).length > 0) return true;
  const { nextNumber } = simulation.journal;
  const cause = { by: "act", name: act.name };
  return simulation.executeBefore(nextNumber, cause, (tx) => act.run(tx, id, act.normalize({}))).ok;
}

function statesBefore(act: string, isAssumed: (assumption: string) => boolean): string[] | null {
  const states = lifecycles.flatMap((lifecycle) =>
    lifecycle.states.filter((state) => actsFrom(lifecycle, state, isAssumed).includes(act)),
  );
  return states.length === 0 ? null : [...new Set(states)];
}

/** A request without a token acts on the default world, and there on its first company. */
function firstCompany({ records }: World): string | undefined {
  for (const { id } of records.all(companies)) return id;
  return undefined;
}

/** The act of a request, with the id of its object and its fields. */
function performance({ world, params, body, companyId }: WorldAsked<ActRequest>) {
  const name = params["act"] ?? "";
  const act =
    acts.get(name) ??
    refuseUnknown(
      `There is no act "${name.slice(0, 60)}". ${suggestion(name, [...acts.keys()], { all: "GET /sandbox/acts" })}`,
    );
  const { wait: _wait, ...request } = body;
  const byDefault = act.collection === "companies" ? (companyId ?? firstCompany(world)) : undefined;
  const { id = byDefault, ...sent } = request;
  return { act, id, fields: act.normalize(sent) };
}
