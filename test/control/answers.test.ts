import { type Exchanged, exchangedInSession } from "./session.ts";
import { expect, test } from "vitest";

test("every answer of a session is the stored one, byte for byte", async () => {
  const exchanged = await exchangedInSession();
  await expect(exchanged.map(written).join("\n")).toMatchFileSnapshot("./answers.txt");
});

function written({
  method,
  path,
  body,
  headers,
  status,
  text,
  answerHeaders,
  grows = false,
}: Exchanged): string {
  const sent = body === undefined ? "" : ` ${typeof body === "string" ? body : JSON.stringify(body)}`;
  const withHeaders = headers === undefined ? "" : ` ${JSON.stringify(headers)}`;
  return [
    `> ${method} ${path}${withHeaders}${shortened(sent, 300)}`,
    `< ${status} ${JSON.stringify(answerHeaders)}`,
    grows ? JSON.stringify(beginnings(JSON.parse(text))) : text,
    "",
  ].join("\n");
}

/** The beginnings of lists and sentences, which stay as they are when the platform gets another resource. */
function beginnings(value: unknown): unknown {
  if (typeof value === "string") return shortened(value, 60);
  if (Array.isArray(value)) return value.slice(0, 2).map(beginnings);
  if (typeof value !== "object" || value === null) return value;
  const { total: _total, percent: _percent, ...rest } = value as Record<string, unknown>;
  return Object.fromEntries(Object.entries(rest).map(([name, field]) => [name, beginnings(field)]));
}

function shortened(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax)}…`;
}
