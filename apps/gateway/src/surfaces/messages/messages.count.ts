import type { CountSurface } from '../surface.js';
import { readCountRequest } from './messages.request.js';

/** The messages contract's `count_tokens`. */
export const messagesCount: CountSurface = {
  read: readCountRequest,
  answer: ({ tokens, isEstimate }) => ({
    headers: isEstimate ? { 'x-slipway-token-count': 'estimate' } : {},
    body: JSON.stringify({ input_tokens: tokens }),
  }),
};
