import type { IncomingMessage } from 'node:http';

/** What is read of a body that nobody wants, in bytes, and in how many pieces. */
const DROPPED = { bytes: 2 * 1024 * 1024, pieces: 8_192 } as const;

/**
 * Reads what is left of a body and drops it, so that the client gets to the answer and the connection can go on. Where more
 * comes than any request of ours may have, the connection is closed.
 */
export function dropBody(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  let bytes = 0;
  let pieces = 0;
  request.on('data', (piece: Buffer) => {
    bytes += piece.length;
    pieces += 1;
    if (bytes > DROPPED.bytes || pieces > DROPPED.pieces) request.socket.destroy();
  });
  request.on('error', () => undefined).resume();
}
