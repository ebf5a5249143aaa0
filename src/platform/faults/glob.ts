/** Whether a text matches a glob in which `*` stands for any run of characters and everything else for itself. */
export function matchesGlob(glob: string, text: string): boolean {
  const [head = "", ...rest] = glob.split("*");
  if (rest.length === 0) return glob === text;
  const tail = rest.pop() ?? "";
  if (text.length < head.length + tail.length || !text.startsWith(head) || !text.endsWith(tail)) return false;
  const end = text.length - tail.length;
  let from = head.length;
  for (const part of rest) {
    const at = text.indexOf(part, from);
    if (at < 0 || at + part.length > end) return false;
    from = at + part.length;
  }
  return true;
}
