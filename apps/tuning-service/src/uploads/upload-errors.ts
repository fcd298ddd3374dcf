import { ERRORS, isServiceError } from '@slipway/contracts';

/** What tus answers for an error of ours. */
export function asUploadError(error: unknown): unknown {
  if (!isServiceError(error)) return error;
  const body = JSON.stringify({ error: { code: error.code, message: error.message } });
  return Object.assign(new Error(error.message), { status_code: ERRORS[error.code].status, body });
}
