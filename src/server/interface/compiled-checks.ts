import { checkOf, compilerFor } from "../../api/schema-compiler.ts";
import { LongWork } from "../../process/long-work.ts";
import { type Operation, operations } from "../../api/operations.ts";

/**
 * The checks of bodies that a server has compiled. To load the compiler and to compile takes as long as the rest of a
 * first request, so it is done in turns of its own.
 */
export class CompiledChecks {
  readonly #compiled = new Set<Operation["request"]>([undefined]);
  /** The compilation for the last of the requests that wait: each of them waits for those before it. */
  #last: Promise<void> | undefined;

  /**
   * Waits until the check of an operation's body is compiled, and for the requests that wait already. Undefined if
   * there is nothing to wait for.
   */
  of({ request }: Operation): Promise<void> | undefined {
    if (this.#last === undefined && this.#compiled.has(request)) return undefined;
    const own = this.#compileAfter(this.#last, request).finally(() => {
      if (this.#last === own) this.#last = undefined;
    });
    this.#last = own;
    return own;
  }

  /** Compiles the checks of all operations: the OpenAPI document shows what they find. */
  async all(): Promise<void> {
    for (const operation of Object.values<Operation>(operations)) await this.of(operation);
  }

  async #compileAfter(earlier: Promise<void> | undefined, request: Operation["request"]): Promise<void> {
    await earlier;
    if (request === undefined || this.#compiled.has(request)) return;
    const work = new LongWork();
    compilerFor("json");
    if (work.isDue) await work.nextTurn();
    checkOf(request);
    this.#compiled.add(request);
    if (work.isDue) await work.nextTurn();
  }
}
