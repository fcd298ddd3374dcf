import { nuid } from '@slipway/platform';

/** A new id for the headers of an answer and the log. */
export const requestId = (): string => `req_${nuid.next()}`;

/** The headers that name a request: clients of the messages contract look for its id under the second name only. */
export const idHeaders = (id: string): Record<'x-request-id' | 'request-id', string> => ({
  'x-request-id': id,
  'request-id': id,
});
