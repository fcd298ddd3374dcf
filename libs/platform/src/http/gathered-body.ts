import { ServiceError } from '@slipway/contracts';

/** Pieces up to this size are copied together: kept alone, one of a single byte would hold some 200, in bytes. */
const SMALL_BYTES = 4 * 1024;
/** The memory that small pieces are copied into grows with the body, between these sizes, in bytes. */
const BLOCK_BYTES = { least: 1_024, most: 64 * 1024 } as const;
/** A body may come in so many pieces, and in one more for each so many bytes of it: each costs the main loop a microsecond. */
const PIECES = { free: 8_192, bytesEach: 64 } as const;

/** Gathers a body as it arrives, in memory close to its size however small its pieces are. */
export class GatheredBody {
  readonly #full: Buffer[] = [];
  #block: Buffer | null = null;
  #filled = 0;
  #pieces = 0;
  #length = 0;

  /** @param bytesMax the most that is gathered; whoever adds sees to it */
  constructor(private readonly bytesMax: number) {}

  /** What has arrived, in bytes. */
  get length(): number {
    return this.#length;
  }

  /** It has come in more pieces than any client has reason for. */
  get isShredded(): boolean {
    return this.#pieces > PIECES.free + this.#length / PIECES.bytesEach;
  }

  /** Memory that a piece takes beyond what is held already, in bytes. */
  costOf(piece: Buffer): number {
    const rest = piece.length - this.#room;
    if (rest <= 0) return 0;
    return this.#isKept(rest) ? rest : this.#blockFor(rest, this.#length + this.#room);
  }

  add(piece: Buffer): void {
    // An open block is filled first: one that was closed early would hold more than it is used for.
    const head = Math.min(this.#room, piece.length);
    if (head > 0) this.#filled += piece.copy(this.#block as Buffer, this.#filled, 0, head);
    const rest = piece.length - head;
    if (rest > 0 && this.#isKept(rest)) this.#keep(head > 0 ? Buffer.from(piece.subarray(head)) : piece);
    else if (rest > 0) this.#open(piece.subarray(head), this.#length + head);
    this.#pieces += 1;
    this.#length += piece.length;
  }

  /** All of it; above 4 KiB in memory of its own, which may be given to a thread. */
  whole(): Buffer {
    this.#close();
    const [first] = this.#full;
    return first && this.#full.length === 1 ? first : Buffer.concat(this.#full, this.#length);
  }

  get #room(): number {
    return this.#block ? this.#block.length - this.#filled : 0;
  }

  /** Most bodies come in one piece, which is then the whole. */
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

  /** @param length what lies before it; a body of the largest size costs just that. */
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

/** The refusal of a body that is shredded. */
export const tooManyPieces = (): ServiceError =>
  new ServiceError('invalid_request', `The request body came in too many pieces; send it in chunks of ${PIECES.bytesEach} bytes or more.`);
