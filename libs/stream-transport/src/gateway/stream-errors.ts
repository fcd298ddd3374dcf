import { type ErrorFrame, ServiceError, isErrorCode, isServiceError } from '@slipway/contracts';

export const workerLost = (): ServiceError => new ServiceError('worker_lost', 'The worker that was answering was lost.');

export const notAnswered = (): ServiceError =>
  new ServiceError('deployment_unavailable', 'The worker did not answer the request; try again soon.', { retryAfterS: 2 });

export const slowWorker = (): ServiceError =>
  new ServiceError('overloaded', 'The workers of this deployment are too busy to answer in time; try again soon.', { retryAfterS: 2 });

export const notReachable = (cause?: unknown): ServiceError =>
  new ServiceError('deployment_unavailable', 'No worker can be reached at the moment.', { retryAfterS: 2, cause });

export const allBusy = (): ServiceError => new ServiceError('overloaded', 'All workers of this deployment are busy.', { retryAfterS: 1 });

export const tooSlow = (): ServiceError => new ServiceError('timeout', 'The model did not begin to answer in time.');

export const tooLarge = (): ServiceError => new ServiceError('request_too_large', 'The request is too large.');

export const corrupted = (): ServiceError => new ServiceError('engine_error', 'The answer arrived damaged.');

export const notUnderstood = (): ServiceError => new ServiceError('internal', 'The request could not be handed to a worker.');

export const endedElsewhere = (): ServiceError => new ServiceError('cancelled', 'The answer was cancelled.');

export const shuttingDown = (): ServiceError =>
  new ServiceError('server_shutting_down', 'The server is shutting down.', { retryAfterS: 1 });

/** The error that a worker ended a stream with; unknown codes come from newer workers. */
export function errorOf({ code, msg, param, facts }: ErrorFrame): ServiceError {
  return new ServiceError(isErrorCode(code) ? code : 'engine_error', msg, { param, facts });
}

export const asServiceError = (err: unknown): ServiceError =>
  isServiceError(err) ? err : new ServiceError('internal', 'Something went wrong while the answer was produced.', { cause: err });
