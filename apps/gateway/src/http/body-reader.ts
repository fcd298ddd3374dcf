import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '@slipway/contracts';
import { GatheredBody, tooManyPieces } from '@slipway/platform';
import { tooLarge } from './header-hygiene.js';
import { expectationOf } from './server-limits.js';
import type { Upload } from './uploads.js';

/** Limits of one body. */
export interface BodyLimits {
  readonly bytesMax: number;
  readonly upload: Upload;
}

/**
 * Reads a request body, after `100 Continue` where the client waits for it. The caller releases the reserved memory of the
 * result; after an error none is reserved.
 * @throws ServiceError `request_too_large`, `invalid_request` for too many chunks, `overloaded`, `rate_limit_exceeded` or
 *   `request_timeout` with the rest unread; `cancelled` when the client disconnected.
 */
export async function readBody(request: IncomingMessage, response: ServerResponse, limits: BodyLimits): Promise<Buffer> {
  const { upload } = limits;
  try {
    if (request.destroyed) throw clientLeft();
    if (expectationOf(request) === 'continue') response.writeContinue();
    return await gather(request, limits);
  } catch (error) {
    upload.hold.release();
    throw error;
  } finally {
    upload.end();
  }
}

function gather(request: IncomingMessage, { bytesMax, upload }: BodyLimits): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = new GatheredBody(bytesMax);
    const settle = (act: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      upload.onSlow = null;
      act();
    };
    const refuse = (error: ServiceError): void => {
      request.pause();
      settle(() => reject(error));
    };
    const onData = (chunk: Buffer): void => {
      if (body.length + chunk.length > bytesMax) return refuse(tooLarge(bytesMax));
      const refusal = upload.arrived(chunk.length, body.costOf(chunk));
      if (refusal) return refuse(refusal);
      body.add(chunk);
      return body.isShredded ? refuse(tooManyPieces()) : undefined;
    };
    const onEnd = (): void =>
      settle(() => {
        upload.hold.shrinkTo(body.length);
        resolve(body.whole());
      });
    const onClose = (): void => {
      refuse(clientLeft());
      // A reset connection may emit a further error.
      request.on('error', () => undefined);
    };
    upload.onSlow = refuse;
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

const clientLeft = (): ServiceError => new ServiceError('cancelled', 'The client left before its request was complete.');
