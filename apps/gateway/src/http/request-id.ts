import { nuid } from '@slipway/platform';

/** A new id for the `x-request-id` header and the log. */
export const requestId = (): string => `req_${nuid.next()}`;
