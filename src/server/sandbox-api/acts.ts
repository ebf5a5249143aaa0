import type { ControlRequest } from "./control.ts";
import type { World } from "../../worlds/world.ts";
import { foundValue } from "../../api/found-value.ts";
import { acts } from "../../platform/acts.ts";
import { actsFrom } from "../../engine/lifecycle.ts";
import { companies } from "../../platform/companies/company.ts";
import { closest } from "fastest-levenshtein";
import { inlinedSchema } from "../../api/inlined-schema.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { lifecycles } from "../../platform/lifecycles.ts";
import { refuse, refuseProblems, refuseUnknown, valueOf } from "./control.ts";
import { actResources } from "../../platform/resources.ts";
import { validateShape } from "../../api/validation.ts";

/**
 * `GET /sandbox/acts`: every act with what it works on, the states from which the lifecycle tables allow it
 * (null where no table speaks of it) and the schema of its fields.
 */
export function listActs(): object {
  const data = Array.from(acts.values(), ({ name, collection, schema, summary }) => ({
    act: name,
    collection,
    summary,
    fields: schema,
    from: statesBefore(name),
    schema: schema === null ? null : inlinedSchema(schema),
  }));
  return { data };
}

function statesBefore(act: string): string[] | null {
  const states = lifecycles.flatMap((lifecycle) =>
    lifecycle.states.filter((state) => actsFrom(lifecycle, state).includes(act)),
  );
  return states.length === 0 ? null : [...new Set(states)];
}

/** Whoever sends no token acts on the default world, and there on its first company. */
function firstCompany({ records }: World): string | undefined {
  for (const { id } of records.all(companies)) return id;
  return undefined;
}

/** `POST /sandbox/acts/{act}` `{id, …}`: answers with the object as it then is. */
export function performAct({ world, params, body, companyId, inbound }: ControlRequest): object {
  const name = params["act"] ?? "";
  const act = acts.get(name);
  if (act === undefined) {
    refuseUnknown(`There is no act "${name.slice(0, 60)}". Did you mean ${closest(name, [...acts.keys()])}?`);
  }
  const { id = act.collection === "companies" ? (companyId ?? firstCompany(world)) : undefined, ...sent } =
    body;
  const fields = act.writtenOut?.(sent) ?? sent;
  if (typeof id !== "string") {
    refuse(
      "id",
      `id must name an object of ${act.collection}; found ${id === undefined ? "nothing" : foundValue(id)}.`,
      "REQUIRED",
    );
  }
  refuseProblems(validateShape(act.schema ?? "NoFields", fields));
  return valueOf(
    world.execute(
      { by: "act", name },
      (tx) => {
        act.run(tx, { id, fields: fields as never });
        return assertDefined(actResources[act.collection].get(tx, id), `the object of ${name}`);
      },
      inbound,
    ),
  );
}
