import { ServiceError } from '@slipway/contracts';

/** Pieces up to this size in bytes are copied into blocks: alone, a piece of one byte takes about 200. */
const SMALL_BYTES = 4 * 1024;
/** Smallest and largest block in bytes; blocks grow with the body. */
const BLOCK_BYTES = { least: 1_024, most: 64 * 1024 } as const;
/** Allowed pieces: a fixed number, and one more per so many bytes. Each piece costs the event loop one microsecond. */
const PIECES = { free: 8_192, bytesEach: 64 } as const;

/** Gathers a body in memory close to its size, however small its pieces are. */
export class GatheredBody {
  readonly #full: Buffer[] = [];
  #block: Buffer | null = null;
  #filled = 0;
  #pieces = 0;
  #length = 0;

  /** @param bytesMax most bytes; the caller enforces it */
  constructor(private readonly bytesMax: number) {}

  /** Bytes that have arrived. */
  get length(): number {
    return this.#length;
  }

  /** True when it has more pieces than allowed. */
  get isShredded(): boolean {
    return this.#pieces > PIECES.free + this.#length / PIECES.bytesEach;
  }

  /** Additional memory for a piece, in bytes. */
  costOf(piece: Buffer): number {
    const rest = piece.length - this.#room;
    if (rest <= 0) return 0;
    return this.#isKept(rest) ? rest : this.#blockFor(rest, this.#length + this.#room);
  }

  add(piece: Buffer): void {
    // The open block is filled first, so that no block stays half empty.
    const head = Math.min(this.#room, piece.length);
    if (head > 0) this.#filled += piece.copy(this.#block as Buffer, this.#filled, 0, head);
    const rest = piece.length - head;
    if (rest > 0 && this.#isKept(rest)) this.#keep(head > 0 ? Buffer.from(piece.subarray(head)) : piece);
    else if (rest > 0) this.#open(piece.subarray(head), this.#length + head);
    this.#pieces += 1;
    this.#length += piece.length;
  }

  /** The whole body; above 4 KiB in its own memory, which can be transferred to a thread. */
  whole(): Buffer {
    this.#close();
    const [first] = this.#full;
    return first && this.#full.length === 1 ? first : Buffer.concat(this.#full, this.#length);
  }

  get #room(): number {
    return this.#block ? this.#block.length - this.#filled : 0;
  }

  /** Most bodies arrive in one piece, which is returned as it is. */
  #isKept(bytes: number): boolean {
    return this.#length === 0 || bytes > SMALL_BYTES;
  }

  #keep(piece: Buffer): void {
    this.#close();
    this.#full.push(piece);
  }

  #open(piece: Buffer, length: number): void {
    this.#close();
    this.#block = Buffer.allocUnsafeSlow(this.#blockFor(piece.length, length));
    this.#filled = piece.copy(this.#block);
  }

  /** @param length bytes gathered so far; limits the next block. */
  #blockFor(bytes: number, length: number): number {
    const grown = Math.min(BLOCK_BYTES.most, Math.max(BLOCK_BYTES.least, length));
    return Math.max(bytes, Math.min(grown, this.bytesMax - length));
  }

  #close(): void {
    if (this.#block) this.#full.push(this.#block.subarray(0, this.#filled));
    this.#block = null;
    this.#filled = 0;
  }
}

/** The error for a body in too many pieces. */
export const tooManyPieces = (): ServiceError =>
  new ServiceError('invalid_request', `The request body came in too many pieces; send it in chunks of ${PIECES.bytesEach} bytes or more.`);
