/** The reason, as a sentence, why the exploration cannot start. Exit code 2. */
export class NotTried extends Error {
  override readonly name = "NotTried";
}
