import { type ErrorCode, ServiceError } from '@slipway/contracts';

/**
 * An error about one field. The contract has no field for its name, so the message begins with it.
 * @param param its path, such as `messages.0.content`.
 */
export const fault = (code: ErrorCode, param: string, message: string): ServiceError =>
  new ServiceError(code, `${param}: ${message}`, { param });
