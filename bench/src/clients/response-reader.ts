const CR = 0x0d;
const LF = 0x0a;
const HEAD_END = Buffer.from('\r\n\r\n');

/** What a response brings, in this order; `end` once, when it is complete. */
export interface ResponseSink {
  head(status: number): void;
  body(text: string): void;
  end(): void;
}

type Step = 'head' | 'sized' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailer';

/** Reads one HTTP/1.1 response from the bytes of a connection; for servers that are trusted to speak it well. */
export class ResponseReader {
  #step: Step = 'head';
  #head: Buffer = Buffer.alloc(0);
  /** Bytes that the body or its present chunk still lacks. */
  #left = 0;
  #size = '';

  constructor(private readonly sink: ResponseSink) {}

  /** @throws when the bytes are no response that it understands */
  feed(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#step === 'head') at = this.#readHead(bytes, at);
      else if (this.#step === 'sized' || this.#step === 'chunk') at = this.#readBody(bytes, at);
      else at = this.#readFraming(bytes, at);
    }
  }

  #readHead(bytes: Buffer, from: number): number {
    const known = this.#head.length;
    this.#head = known === 0 ? bytes.subarray(from) : Buffer.concat([this.#head, bytes.subarray(from)]);
    const end = this.#head.indexOf(HEAD_END);
    if (end < 0) return bytes.length;
    const head = this.#head.toString('latin1', 0, end);
    this.#head = Buffer.alloc(0);
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (Number.isNaN(status)) throw new Error(`No response: ${head.slice(0, 80)}`);
    this.sink.head(status);
    if (length !== undefined) {
      this.#left = Number(length);
      this.#step = 'sized';
      if (this.#left === 0) this.#done();
    } else if (/\r\ntransfer-encoding: *chunked/i.test(head)) this.#step = 'chunk-size';
    else throw new Error('A response without a length.');
    return from + end + HEAD_END.length - known;
  }

  #readBody(bytes: Buffer, from: number): number {
    const to = Math.min(bytes.length, from + this.#left);
    this.#left -= to - from;
    this.sink.body(bytes.toString('latin1', from, to));
    if (this.#left > 0) return to;
    if (this.#step === 'sized') this.#done();
    else this.#step = 'chunk-end';
    return to;
  }

  /** Takes one byte of what stands between chunks. */
  #readFraming(bytes: Buffer, at: number): number {
    const byte = bytes[at] ?? 0;
    if (byte === CR) return at + 1;
    if (byte !== LF) {
      this.#size += String.fromCharCode(byte);
      return at + 1;
    }
    if (this.#step === 'chunk-end') this.#step = 'chunk-size';
    else if (this.#step === 'trailer') this.#done();
    else this.#beginChunk();
    this.#size = '';
    return at + 1;
  }

  #beginChunk(): void {
    this.#left = Number.parseInt(this.#size, 16);
    if (Number.isNaN(this.#left)) throw new Error('A chunk without a size.');
    this.#step = this.#left === 0 ? 'trailer' : 'chunk';
  }

  #done(): void {
    this.#step = 'head';
    this.sink.end();
  }
}
