import type { Fetch } from "../scenarios/world.ts";

/** A company of the default world, with its credentials and accounts. */
export interface CompanyAccess {
  readonly id: string;
  readonly token: string;
  readonly webhookSecret: string;
  readonly accounts: readonly string[];
}

/**
 * The companies of the fixtures that a sandbox runs on, in their order. The first one calls where no other is
 * said. Everything that receiver checks and contracts know of tokens and accounts comes from here.
 */
export async function readCompanies(fetch: Fetch): Promise<readonly [CompanyAccess, ...CompanyAccess[]]> {
  const response = await fetch("/sandbox/worlds");
  const { data } = (await response.json()) as {
    readonly data: readonly [{ readonly companies: readonly CompanyAccess[] }];
  };
  const [first, ...others] = data[0].companies;
  if (first === undefined) throw new Error("the fixtures have no company");
  return [first, ...others];
}
