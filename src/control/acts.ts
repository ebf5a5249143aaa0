import type { ControlRequest } from "./control.ts";
import { acts } from "../platform/acts.ts";
import { closest } from "fastest-levenshtein";
import { known } from "../core/assertion.ts";
import { refuse, refuseProblems, refuseUnknown, valueOf } from "./control.ts";
import { actResources } from "../platform/resources.ts";
import { validateShape } from "../interface/validation.ts";

/** `GET /sandbox/acts`: every act with what it works on. */
export function listActs(): object {
  const data = Array.from(acts.values(), ({ name, collection, schema, summary }) => ({
    act: name,
    collection,
    summary,
    fields: schema,
  }));
  return { data };
}

/** `POST /sandbox/acts/{act}` `{id, …}`: answers with the object as it then is. */
export function performAct({ world, params, body, companyId }: ControlRequest): object {
  const name = params["act"] ?? "";
  const act = acts.get(name);
  if (act === undefined) {
    refuseUnknown(`There is no act "${name.slice(0, 60)}". Did you mean ${closest(name, [...acts.keys()])}?`);
  }
  const { id = act.collection === "companies" ? companyId : undefined, ...fields } = body;
  if (typeof id !== "string") {
    refuse(
      "id",
      `id must name an object of ${act.collection}; found ${JSON.stringify(id) ?? "nothing"}.`,
      "REQUIRED",
    );
  }
  refuseProblems(validateShape(act.schema ?? "NoFields", fields));
  return valueOf(
    world.execute({ by: "act", name }, (tx) => {
      act.run(tx, { id, fields: fields as never });
      return known(actResources[act.collection].get(tx, id), `the object of ${name}`);
    }),
  );
}
