import { type EndFrame, type StreamEvent, EMPTY_SUM, addToSum } from '@slipway/contracts';

/** `gap` = events before these are missing; `duplicate` = nothing new. */
export type Taken = readonly StreamEvent[] | 'gap' | 'duplicate';

/** Turns the frames of one attempt, lost, repeated or overlapping as they may be, into each event exactly once and in order. */
export class FrameSequence {
  #wanted = 0;
  #checksum = EMPTY_SUM;

  /** Position of the next event that is wanted. */
  get next(): number {
    return this.#wanted;
  }

  /** Takes events at the position `q`; what was taken before is trimmed. */
  take(q: number, events: readonly StreamEvent[]): Taken {
    if (q > this.#wanted) return 'gap';
    const known = this.#wanted - q;
    if (known >= events.length) return 'duplicate';
    const fresh = known === 0 ? events : events.slice(known);
    this.#wanted += fresh.length;
    for (const event of fresh) this.#checksum = addToSum(this.#checksum, event);
    return fresh;
  }

  /** What an `end` means now: events are still missing, all is here, or the texts are not what the worker sent. */
  conclude(end: EndFrame): 'gap' | 'complete' | 'corrupt' {
    if (end.q > this.#wanted) return 'gap';
    return end.q === this.#wanted && end.sum === this.#checksum ? 'complete' : 'corrupt';
  }
}
