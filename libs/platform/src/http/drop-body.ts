import type { IncomingMessage } from 'node:http';

/** Most bytes and pieces of a dropped body that are read. */
const DROPPED = { bytes: 2 * 1024 * 1024, pieces: 8_192 } as const;

/**
 * Reads and drops the rest of a body, so that the client reads the answer and the connection can be reused. Closes the
 * connection when more arrives than any request may have.
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
