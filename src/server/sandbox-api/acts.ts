import type { World } from "../../worlds/world.ts";
import { foundValue } from "../../api/found-value.ts";
import { acts, lifecycles, objects } from "../../platform/catalog.ts";
import { actsFrom } from "../../engine/lifecycle.ts";
import { companies } from "../../platform/companies/company.ts";
import { inlinedSchema } from "../../api/schemas.ts";
import { assertDefined } from "../../engine/assertion.ts";
import {
  type ControlRequest,
  type ControlRoutes,
  refuse,
  refuseProblems,
  refuseUnknown,
  valueOf,
} from "./control.ts";
import { suggestion } from "../../engine/suggestion.ts";
import { validateShape } from "../../api/validation.ts";

/** Acts: what someone outside the platform would do. */
export const actRoutes: ControlRoutes = {
  "GET /acts": { summary: "List the acts", answer: listActs },
  "POST /acts/:act": { summary: "Perform an act", answer: performAct },
};

/**
 * Every act with the collection it works on, the states from which the lifecycle tables allow it (null for an act
 * that is in no table) and the schema of its fields.
 */
function listActs(): object {
  const data = Array.from(acts.values(), ({ name, collection, fields, summary }) => ({
    act: name,
    collection,
    summary,
    fields,
    from: statesBefore(name),
    schema: fields === null ? null : inlinedSchema(fields),
  }));
  return { data };
}

function statesBefore(act: string): string[] | null {
  const states = lifecycles.flatMap((lifecycle) =>
    lifecycle.states.filter((state) => actsFrom(lifecycle, state).includes(act)),
  );
  return states.length === 0 ? null : [...new Set(states)];
}

/** A request without a token acts on the default world, and there on its first company. */
function firstCompany({ records }: World): string | undefined {
  for (const { id } of records.all(companies)) return id;
  return undefined;
}

/** `{id, …, wait?}`: answers with the changed object; with `wait: true` once its webhooks were attempted. */
async function performAct({ world, params, body, companyId, inbound }: ControlRequest): Promise<object> {
  const name = params["act"] ?? "";
  const act = acts.get(name);
  if (act === undefined) {
    refuseUnknown(`There is no act "${name.slice(0, 60)}". ${suggestion(name, [...acts.keys()])}`);
  }
  const { wait = false, ...request } = body;
  const { id = act.collection === "companies" ? (companyId ?? firstCompany(world)) : undefined, ...sent } =
    request;
  if (typeof wait !== "boolean") refuse("wait", `wait must be true or false; found ${foundValue(wait)}.`);
  const fields = act.normalize(sent);
  if (typeof id !== "string") {
    refuse(
      "id",
      `id must name an object of ${act.collection}; found ${id === undefined ? "nothing" : foundValue(id)}.`,
      "REQUIRED",
    );
  }
  refuseProblems(validateShape(act.fields ?? "NoFields", fields));
  const changed = valueOf(
    world.execute(
      { by: "act", name },
      (tx) => {
        act.run(tx, id, fields);
        return assertDefined(objects.get(act.collection)?.get(tx, id), `the object of ${name}`);
      },
      inbound,
    ),
  );
  if (wait) await world.settled();
  return changed;
}
