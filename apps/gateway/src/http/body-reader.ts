import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '@slipway/contracts';
import type { BodyBudget } from './body-budget.js';
import { tooLarge } from './header-hygiene.js';
import { expectationOf } from './server-limits.js';

/** What one body may take. */
export interface BodyLimits {
  readonly bytesMax: number;
  /** What all bodies share; the reader gives back what it took unless it succeeds. */
  readonly budget: BodyBudget;
}

/**
 * Reads a whole request body, after telling a client that waits for it to go on. What it returns stays taken from the
 * budget until its owner gives it back.
 * @throws ServiceError `request_too_large` or `overloaded` with the rest unread; `cancelled` when the client left.
 */
export function readBody(request: IncomingMessage, response: ServerResponse, { bytesMax, budget }: BodyLimits): Promise<Buffer> {
  if (request.destroyed) return Promise.reject(clientLeft());
  if (expectationOf(request) === 'continue') response.writeContinue();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (act: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      act();
    };
    const refuse = (error: ServiceError): void => {
      request.pause();
      settle(() => reject(error));
      budget.giveBack(bytes);
    };
    const onData = (chunk: Buffer): void => {
      if (bytes + chunk.length > bytesMax) return refuse(tooLarge(bytesMax));
      if (!budget.take(chunk.length)) return refuse(tooManyBodies());
      bytes += chunk.length;
      chunks.push(chunk);
      return undefined;
    };
    const onEnd = (): void => settle(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, bytes)));
    const onClose = (): void => {
      refuse(clientLeft());
      // A reset connection may report itself again.
      request.on('error', () => undefined);
    };
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

const clientLeft = (): ServiceError => new ServiceError('cancelled', 'The client left before its request was complete.');

const tooManyBodies = (): ServiceError =>
  new ServiceError('overloaded', 'The gateway is reading as many large requests as it can hold; try again soon.', { retryAfterS: 2 });
