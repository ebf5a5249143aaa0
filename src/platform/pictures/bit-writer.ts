/** Bytes that are written bit by bit, the lowest bit of a byte first, as deflate wants them. */
export class BitWriter {
  readonly #bytes: Uint8Array;
  #length = 0;
  #held = 0;
  #heldBits = 0;

  /** For so many bytes at most, of which the first bits are those that were written before. */
  constructor(bytesMax: number, before?: BitWriter) {
    this.#bytes = new Uint8Array(bytesMax);
    if (before === undefined) return;
    this.#bytes.set(before.bytes());
    this.#length = before.#length;
    this.#held = before.#held;
    this.#heldBits = before.#heldBits;
  }

  /** Whole bytes so far. */
  get length(): number {
    return this.#length;
  }

  /** Writes up to 16 bits of a number, its lowest bit first. */
  write(value: number, bits: number): void {
    this.#held |= value << this.#heldBits;
    this.#heldBits += bits;
    while (this.#heldBits >= 8) {
      this.#bytes[this.#length++] = this.#held & 0xff;
      this.#held >>>= 8;
      this.#heldBits -= 8;
    }
  }

  /** Fills the byte that was begun. */
  endByte(): void {
    if (this.#heldBits > 0) this.write(0, 8 - this.#heldBits);
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}

/**
 * The codes that follow from their lengths (RFC 1951, 3.2.2), turned round so that they can be written lowest bit
 * first; 0 for a symbol without one.
 */
export function canonicalCodes(lengths: readonly number[]): number[] {
  const codes = lengths.map(() => 0);
  let next = 0;
  for (let bits = 1; bits <= Math.max(...lengths); bits++) {
    for (const [symbol, length] of lengths.entries())
      if (length === bits) codes[symbol] = turned(next++, bits);
    next <<= 1;
  }
  return codes;
}

function turned(code: number, bits: number): number {
  let result = 0;
  for (let bit = 0; bit < bits; bit++) if (code & (1 << bit)) result |= 1 << (bits - 1 - bit);
  return result;
}
