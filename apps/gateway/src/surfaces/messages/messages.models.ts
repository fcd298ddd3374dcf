import type { ModelFormat } from '../surface.js';

/** The contract's own word for a time that nobody knows. */
const UNKNOWN_TIME = '1970-01-01T00:00:00Z';

const one: ModelFormat['one'] = ({ id, context }) => ({
  type: 'model',
  id,
  display_name: id,
  created_at: UNKNOWN_TIME,
  capabilities: null,
  deprecated_at: null,
  lifecycle: 'active',
  line: null,
  max_input_tokens: context,
  max_tokens: context,
  retires_at: null,
});

/** Models as the messages contract lists them. */
export const messagesModels: ModelFormat = {
  one,
  list: (entry) => ({ data: [one(entry)], has_more: false, first_id: entry.id, last_id: entry.id }),
};
