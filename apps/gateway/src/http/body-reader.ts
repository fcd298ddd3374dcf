import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '@slipway/contracts';
import { tooLarge } from './header-hygiene.js';
import { expectationOf } from './server-limits.js';

/**
 * Reads a whole request body of at most `bytesMax` bytes, after telling a client that waits for it to go on.
 * @throws ServiceError `request_too_large` with the rest unread; `cancelled` when the client left.
 */
export function readBody(request: IncomingMessage, response: ServerResponse, bytesMax: number): Promise<Buffer> {
  if (expectationOf(request) === 'continue') response.writeContinue();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (act: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      act();
    };
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes <= bytesMax) {
        chunks.push(chunk);
        return;
      }
      request.pause();
      settle(() => reject(tooLarge(bytesMax)));
    };
    const onEnd = (): void => settle(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, bytes)));
    const onClose = (): void => {
      settle(() => reject(new ServiceError('cancelled', 'The client left before its request was complete.')));
      // A reset connection may report itself again.
      request.on('error', () => undefined);
    };
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}
