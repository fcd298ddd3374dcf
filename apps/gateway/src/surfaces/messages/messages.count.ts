import type { CountSurface } from '../surface.js';
import { messagesWrongModel, readCountRequest } from './messages.request.js';

/** The messages contract's `count_tokens`. */
export const messagesCount: CountSurface = {
  reader: 'count',
  read: readCountRequest,
  wrongModel: messagesWrongModel,
  answer: ({ tokens, isEstimate }) => ({
    headers: isEstimate ? { 'x-slipway-token-count': 'estimate' } : {},
    body: JSON.stringify({ input_tokens: tokens }),
  }),
};
