import { ResponseBodyError } from 'openid-client';

const isFailure = (status: number): boolean => status >= 500;

/** `fetch` tells of a lost connection by a TypeError with its cause; those of the library about arguments have a code. */
const isLost = (error: Error): boolean => error instanceof TypeError && error.cause instanceof Error && !('code' in error);

/** Whether a call of the provider ended without an answer that could be judged: none came, or the provider itself failed. */
export function isUnanswered(error: unknown): boolean {
  if (error instanceof Response) return isFailure(error.status);
  if (!(error instanceof Error)) return false;
  if (error instanceof ResponseBodyError) return isFailure(error.status);
  return error.name === 'TimeoutError' || isLost(error) || isUnanswered(error.cause);
}
