import { batchOf } from '@slipway/contracts';
import type { Publisher } from '../wire/link.js';
import type { WorkerStream } from './worker-stream.js';

/** A frame of a stream, as JSON. */
export interface OutgoingFrame {
  readonly stream: WorkerStream;
  readonly json: string;
  /** The server says so when the stream's gateway has gone. */
  readonly check: boolean;
}

/** Largest batch, in characters of its frames: a message occupies the event loop of both sides in proportion to its size. */
const BATCH_CHARS = 32 * 1024;
/** UTF-8 bytes that one UTF-16 code unit of JSON can need at most. */
const WORST_BYTES_PER_CHAR = 3;
/** Characters of a batch around each frame, at most. */
const ADDRESS_CHARS = 96;

/** Publishes frames: those for one gateway as one message where it reads batches, else each by itself. */
export class FramePublisher {
  constructor(private readonly publisher: Publisher) {}

  /** @param frames those of one stream in order */
  send(frames: readonly OutgoingFrame[]): void {
    const [only] = frames;
    if (only && frames.length === 1) this.#sendAlone(only);
    else for (const batch of this.#batchesOf(frames)) this.#sendBatch(batch);
  }

  /** In order for each gateway. */
  #batchesOf(frames: readonly OutgoingFrame[]): OutgoingFrame[][] {
    const room = Math.min(BATCH_CHARS, this.publisher.limit / WORST_BYTES_PER_CHAR);
    const batches: OutgoingFrame[][] = [];
    const open = new Map<string, { batch: OutgoingFrame[]; chars: number }>();
    for (const frame of frames) {
      const { gw } = frame.stream.address;
      const chars = frame.json.length + ADDRESS_CHARS;
      const last = frame.stream.batch ? open.get(gw) : undefined;
      if (last && last.chars + chars <= room) {
        last.batch.push(frame);
        last.chars += chars;
        continue;
      }
      const batch = [frame];
      batches.push(batch);
      open.set(gw, { batch, chars: frame.stream.batch ? chars : Number.POSITIVE_INFINITY });
    }
    return batches;
  }

  #sendBatch(batch: readonly OutgoingFrame[]): void {
    const [first] = batch;
    if (!first) return;
    if (batch.length === 1) return this.#sendAlone(first);
    const checked = batch.find(({ check }) => check);
    const text = batchOf(batch.map(({ stream: { address }, json }) => ({ st: address.st, at: address.at, json })));
    this.publisher.send(first.stream.reply, text, checked && { reply: checked.stream.noInterest });
  }

  #sendAlone({ stream, json, check }: OutgoingFrame): void {
    this.publisher.send(stream.reply, json, check ? { reply: stream.noInterest } : undefined);
  }
}
