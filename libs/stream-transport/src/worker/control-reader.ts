import { ControlMessage } from '@slipway/contracts';

/** One line of an acknowledgement: [stream, attempt, next event wanted, 1 = finished]. */
export type AckEntry = Extract<ControlMessage, { k: 'ack' }>['v'][number];

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
  const { k, v } = message as { k?: unknown; v?: unknown };
  if (k !== 'ack') return ControlMessage.safeParse(message).data ?? null;
  return Array.isArray(v) ? { k: 'ack', v: v.filter(isAckEntry) } : null;
}
