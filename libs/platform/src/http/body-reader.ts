import type { IncomingMessage } from 'node:http';
import { ServiceError } from '@slipway/contracts';
import { GatheredBody, tooManyPieces } from './gathered-body.js';
import type { BudgetShare, SharedBudget } from './shared-budget.js';

/** Interval at which the rate of arrival is checked, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

/** Slowest rate of a body: on average over its whole time, after the grace period. */
export interface ArrivalRate {
  readonly bytesPerSecond: number;
  /** Grace period in milliseconds. */
  readonly graceMs: number;
}

/** Bounds of one body, and the shares that it uses. */
export interface BodyBounds {
  readonly bytesMax: number;
  /** Budget shared by all bodies. */
  readonly budget: SharedBudget;
  readonly shares: readonly BudgetShare[];
  readonly rate: ArrivalRate;
}

/** A body in memory. Its bytes count against the budget until it is released. */
export interface HeldBody {
  readonly bytes: Buffer;
  /** Returns the bytes to the budget; a second call does nothing. */
  release(): void;
}

/**
 * Reads a whole request body within its bounds. Refuses a declared length that is too large before reading a byte.
 * @throws ServiceError `request_too_large`, `invalid_request` for too many pieces, `overloaded` or `request_timeout` and the
 *   rest stays unread; `cancelled` when the client left
 */
export function readHeldBody(request: IncomingMessage, bounds: BodyBounds): Promise<HeldBody> {
  if (request.destroyed) return Promise.reject(clientLeft());
  if (Number(request.headers['content-length'] ?? 0) > bounds.bytesMax) return Promise.reject(tooLarge(bounds.bytesMax));
  return new Promise((resolve, reject) => {
    const { budget, shares, bytesMax, rate } = bounds;
    const body = new GatheredBody(bytesMax);
    const begin = performance.now();
    let taken = 0;
    const settle = (act: () => void): void => {
      clearInterval(watch);
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      act();
    };
    const refuse = (error: ServiceError): void => {
      request.pause();
      settle(() => reject(error));
      budget.giveBack(taken, shares);
    };
    const onData = (chunk: Buffer): void => {
      if (body.length + chunk.length > bytesMax) return refuse(tooLarge(bytesMax));
      const more = body.costOf(chunk);
      if (more > 0 && !budget.take(more, shares)) return refuse(tooManyBodies());
      taken += more;
      body.add(chunk);
      return body.isShredded ? refuse(tooManyPieces()) : undefined;
    };
    const onEnd = (): void =>
      settle(() => {
        budget.giveBack(taken - body.length, shares);
        resolve(heldBody(body.whole(), bounds));
      });
    const onClose = (): void => {
      refuse(clientLeft());
      // A reset connection may emit another error.
      request.on('error', () => undefined);
    };
    const watch = setInterval(() => {
      const elapsedMs = performance.now() - begin;
      if (elapsedMs > rate.graceMs && body.length < (rate.bytesPerSecond * elapsedMs) / 1_000) refuse(tooSlow());
    }, LOOK_EVERY_MS).unref();
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

function heldBody(bytes: Buffer, { budget, shares }: BodyBounds): HeldBody {
  let isHeld = true;
  return {
    bytes,
    release: () => {
      if (isHeld) budget.giveBack(bytes.length, shares);
      isHeld = false;
    },
  };
}

const clientLeft = (): ServiceError => new ServiceError('cancelled', 'The client left before its request was complete.');

const tooLarge = (bytesMax: number): ServiceError =>
  new ServiceError('request_too_large', `The request body is larger than ${bytesMax} bytes.`, { facts: { bytes_max: bytesMax } });

const tooManyBodies = (): ServiceError =>
  new ServiceError('overloaded', 'Too many large requests are being read at once; try again soon.', { retryAfterS: 2 });

const tooSlow = (): ServiceError => new ServiceError('request_timeout', 'The request body arrives too slowly; send it again.');
