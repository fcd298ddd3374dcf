import type { ModelFormat } from '../surface.js';

/** Nobody says when a model was made; clients want a number. */
const UNKNOWN_TIME = 0;

const one: ModelFormat['one'] = ({ id, owner, context }) => ({
  id,
  object: 'model',
  created: UNKNOWN_TIME,
  owned_by: owner,
  // Not in the contract; servers of it say the context this way, and some clients look.
  ...(context !== null && { max_model_len: context }),
});

/** Models as the chat contract lists them. */
export const chatModels: ModelFormat = { one, list: (entry) => ({ object: 'list', data: [one(entry)] }) };
