import type { ErrorForm } from "../refusal-answer.ts";
import { operations } from "../../api/operations.ts";

/** The form in which errors are written at an address, for what fails outside its operation. */
export function errorFormAt(method: string, path: string): ErrorForm {
  const operation = Object.values(operations).find(
    (one) => one.method === method && new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path),
  );
  return operation?.errorForm === "sentences" ? "sentences" : "common";
}
