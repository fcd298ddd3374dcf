import { endianness } from 'node:os';
import { type EndFrame, ServiceError, type StreamEvent } from '@slipway/contracts';
import type { DocumentWriter } from '../surface.js';
import type { EmbeddingsRequest } from './request.js';

/** Decimal places of a number: more than a 32-bit float has for all but the least of a vector of length 1. */
const PLACES = 1e12;

const broken = (message: string): ServiceError => new ServiceError('engine_error', message);

/** Collects the vectors of an answer, in whatever order they come. */
export class EmbeddingsDocument implements DocumentWriter {
  /** JSON of each vector, by the number of its text. */
  readonly #vectors: string[] = [];
  #missing: number;
  /** Numbers of the first vector that came. */
  #size: number | null = null;

  constructor(
    private readonly request: Pick<EmbeddingsRequest, 'format' | 'dimensions' | 'texts'>,
    private readonly model: string,
  ) {
    this.#missing = request.texts;
  }

  /** Vectors of floats are larger as text than they come. */
  bytesOf(event: StreamEvent): number {
    if (event.k !== 'vec') return 0;
    return this.request.format === 'base64' ? event.x.length : 3 * event.x.length;
  }

  collect(events: readonly StreamEvent[]): void {
    for (const event of events) {
      if (event.k !== 'vec' || event.i >= this.request.texts || this.#vectors[event.i] !== undefined) continue;
      this.#vectors[event.i] = this.#json(event.x);
      this.#missing -= 1;
    }
  }

  document({ usage: { prompt } }: EndFrame): string {
    if (this.#missing > 0) throw broken('The engine ended without a vector for each text.');
    const data = this.#vectors.map((vector, i) => `{"object":"embedding","index":${i},"embedding":${vector}}`);
    const usage = JSON.stringify({ prompt_tokens: prompt, total_tokens: prompt });
    return `{"object":"list","data":[${data.join()}],"model":${JSON.stringify(this.model)},"usage":${usage}}`;
  }

  #json(base64: string): string {
    const bytes = Buffer.from(base64, 'base64');
    const size = bytes.length / Float32Array.BYTES_PER_ELEMENT;
    this.#size ??= size;
    const { dimensions, format } = this.request;
    if (!Number.isInteger(size) || size !== this.#size || size === 0) throw broken('The engine made vectors of different lengths.');
    if (dimensions !== null && dimensions > size) throw broken('The engine made shorter vectors than it said.');
    const isWhole = dimensions === null || dimensions === size;
    if (isWhole && format === 'base64') return `"${bytes.toString('base64')}"`;
    const floats = floatsIn(bytes);
    const vector = isWhole ? floats : shortened(floats, dimensions);
    return format === 'base64' ? `"${bytesOf(vector).toString('base64')}"` : JSON.stringify(Array.from(vector, rounded));
  }
}

const rounded = (number: number): number => Math.round(number * PLACES) / PLACES;

/** @param bytes little-endian. */
function floatsIn(bytes: Buffer): Float32Array {
  const own = new Uint8Array(bytes);
  if (endianness() === 'BE') Buffer.from(own.buffer).swap32();
  return new Float32Array(own.buffer);
}

function bytesOf(vector: Float32Array): Buffer {
  const bytes = Buffer.from(new Float32Array(vector).buffer);
  return endianness() === 'BE' ? bytes.swap32() : bytes;
}

/** The first numbers, at length 1 again. */
function shortened(vector: Float32Array, dimensions: number): Float32Array {
  const first = vector.slice(0, dimensions);
  const length = Math.sqrt(first.reduce((sum, number) => sum + number * number, 0));
  if (!Number.isFinite(length) || length === 0) throw broken('The engine made a vector without a direction.');
  return first.map((number) => number / length);
}
