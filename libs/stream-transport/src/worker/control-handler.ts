import { ControlMessage, type StreamId } from '@slipway/contracts';
import type { Msg } from '@slipway/platform';
import { monotonic } from '../wire/clock.js';
import { isNoResponders, type Publisher } from '../wire/link.js';
import type { SenderCounters } from './load-reporter.js';
import type { StartHandler } from './start-handler.js';
import type { AckEntry, StreamTable } from './stream-table.js';

const isAckEntry = (entry: unknown): entry is AckEntry => {
  if (!Array.isArray(entry)) return false;
  const [st, at, next] = entry as unknown[];
  return typeof st === 'string' && Number.isSafeInteger(at) && Number.isSafeInteger(next);
};

/**
 * Reads a control message. Acknowledgements name every stream of a gateway several times a second and are checked by
 * hand; their broken entries are left out. Null = not a control message that this version understands.
 */
export function readControl(text: string): ControlMessage | null {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof message !== 'object' || message === null) return null;
  const { k, v, moves } = message as { k?: unknown; v?: unknown; moves?: unknown };
  if (k !== 'ack') return ControlMessage.safeParse(message).data ?? null;
  return Array.isArray(v) ? { k: 'ack', v: v.filter(isAckEntry), ...(moves === true && { moves }) } : null;
}

/** What a `ControlHandler` needs. */
export interface ControlHandlerOptions {
  readonly counters: SenderCounters;
  readonly publisher: Publisher;
  readonly table: StreamTable;
  readonly starts: Pick<StartHandler, 'cancelled'>;
  /** Where a gateway takes answers of this worker. */
  readonly answers: (gateway: string) => string;
  /** Whether this process will connect to another NATS server, which gateways must know. */
  readonly moving: () => boolean;
}

/** Handles what gateways and the NATS server send about streams that a worker holds. */
export class ControlHandler {
  constructor(private readonly options: ControlHandlerOptions) {}

  /** Handles an acknowledgement, a probe, a cancel or a request for a replay. */
  control(msg: Msg): void {
    const { counters, table, starts } = this.options;
    const message = readControl(msg.string());
    switch (message?.k) {
      case 'ack':
        return this.#answer(msg, table.acknowledge(message, monotonic()));
      case 'probe':
        return this.#answer(msg, []);
      case 'cancel':
        starts.cancelled(message.st, message.at);
        return table.cancel(message.st, message.at);
      case 'replay':
        return table.replay(message.st, message.at, message.from);
      default:
        counters.malformed += 1;
    }
  }

  /** Handles the server's report that no gateway is subscribed to a stream's frames. */
  noInterest(msg: Msg): void {
    if (!isNoResponders(msg)) return;
    const [at, st] = msg.subject.split('.').reverse();
    if (st) this.options.table.find(st as StreamId, Number(at))?.interest.missing(monotonic());
  }

  /** Tells all gateways with streams here that this process will connect to another NATS server, before it does. */
  tellMoves(): void {
    const { table, publisher, answers } = this.options;
    for (const gateway of table.gateways()) publisher.send(answers(gateway), JSON.stringify({ k: 'ok', gone: [], moves: true }));
  }

  #answer(msg: Msg, gone: readonly unknown[]): void {
    const { publisher, moving } = this.options;
    if (msg.reply) publisher.send(msg.reply, JSON.stringify({ k: 'ok', gone, ...(moving() && { moves: true }) }));
  }
}
