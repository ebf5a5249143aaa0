/** Returns the id of a heading, as GitHub makes it: a link works on the site and in the repository. */
export function headingId(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}
