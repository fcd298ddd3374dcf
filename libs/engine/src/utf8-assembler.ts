/** Continuation bytes that a lead byte calls for; -1 = not a lead byte. */
function tailLength(lead: number): number {
  if (lead < 0x80) return 0;
  if (lead >= 0xc2 && lead <= 0xdf) return 1;
  if (lead >= 0xe0 && lead <= 0xef) return 2;
  if (lead >= 0xf0 && lead <= 0xf4) return 3;
  return -1;
}

/** Second bytes that would make an overlong form, a surrogate or a value above U+10FFFF (Unicode, table 3-7). */
function secondByteFits(lead: number, second: number): boolean {
  if (lead === 0xe0) return second >= 0xa0;
  if (lead === 0xed) return second <= 0x9f;
  if (lead === 0xf0) return second >= 0x90;
  if (lead === 0xf4) return second <= 0x8f;
  return true;
}

/**
 * Joins the bytes of tokens to text. A character comes out when its last byte is in; bytes that can never
 * become a character are dropped, so the text holds no replacement character that the model did not write.
 */
export class Utf8Assembler {
  readonly #pending: number[] = [];
  #missing = 0;

  /** Adds bytes. @returns the characters that are complete now. */
  push(bytes: Uint8Array): string {
    let text = '';
    let plainFrom = -1;
    for (let i = 0; i < bytes.length; i += 1) {
      const byte = bytes[i] ?? 0;
      const plain = this.#missing === 0 && byte < 0x80;
      if (plain && plainFrom < 0) plainFrom = i;
      if (plain) continue;
      if (plainFrom >= 0) text += ascii(bytes, plainFrom, i);
      plainFrom = -1;
      text += this.#add(byte);
    }
    return plainFrom >= 0 ? text + ascii(bytes, plainFrom, bytes.length) : text;
  }

  #add(byte: number): string {
    const continues = byte >= 0x80 && byte <= 0xbf;
    const lead = this.#pending[0];
    if (lead !== undefined) {
      if (continues && (this.#pending.length > 1 || secondByteFits(lead, byte))) return this.#complete(byte);
      this.#pending.length = 0;
      this.#missing = 0;
    }
    const tail = tailLength(byte);
    if (tail === 0) return String.fromCharCode(byte);
    if (tail > 0) {
      this.#pending.push(byte);
      this.#missing = tail;
    }
    return '';
  }

  #complete(byte: number): string {
    this.#pending.push(byte);
    this.#missing -= 1;
    if (this.#missing > 0) return '';
    const text = Buffer.from(this.#pending).toString('utf8');
    this.#pending.length = 0;
    return text;
  }
}

const ascii = (bytes: Uint8Array, from: number, to: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1');
