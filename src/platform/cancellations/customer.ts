import type { Cancellation } from "./cancellation.ts";
import type { TaxDocument } from "../../api/generated/shapes.ts";
import { invalidRequest } from "../refusals.ts";

interface Parties {
  readonly payer: TaxDocument;
  readonly receiver: TaxDocument;
}

interface RequestFields {
  readonly reason: string;
  readonly requestedBy?: "payer" | "receiver";
}

const PARTY_OF_REASON: Readonly<Record<string, keyof Parties>> = {
  REQUESTED_BY_PAYER: "payer",
  REQUESTED_BY_RECEIVER: "receiver",
};

/** Who asks for a cancellation: the reason says so where it can, else `requestedBy`, else it is the payer. */
function partyOf({ reason, requestedBy }: RequestFields): keyof Parties {
  const party = PARTY_OF_REASON[reason];
  if (party !== undefined && requestedBy !== undefined && requestedBy !== party) {
    throw invalidRequest([
      {
        field: "requestedBy",
        issue: "INVALID",
        description: `The reason ${reason} says that the ${party} asks; found requestedBy "${requestedBy}". Leave it out.`,
      },
    ]);
  }
  return party ?? requestedBy ?? "payer";
}

/** Who asks, as a cancellation keeps it. */
export function customerOf(
  fields: RequestFields,
  parties: Parties,
): Pick<Cancellation, "requestedBy" | "customer"> {
  const requestedBy = partyOf(fields);
  return { requestedBy, customer: { document: parties[requestedBy] } };
}
