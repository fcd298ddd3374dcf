import { type Capability, taskOf } from '@slipway/contracts';
import type { ModelEntry, ModelFormat } from '../surface.js';

/** Clients require a number; the date of a model is unknown. */
const UNKNOWN_TIME = 0;

/** Request fields that every engine of conversations takes. */
const ALWAYS = ['max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'stop', 'frequency_penalty', 'presence_penalty'];
/** Request fields that an engine with the capability takes, by the names that clients look for. */
const FIELDS: readonly (readonly [Capability, ...fields: string[]])[] = [
  ['tools', 'tools', 'parallel_tool_calls'],
  ['tool_choice', 'tool_choice'],
  ['json_object', 'response_format'],
  ['json_schema', 'structured_outputs'],
  ['logprobs', 'logprobs', 'top_logprobs'],
  ['n', 'n'],
  ['reasoning', 'reasoning_effort'],
  ['seed', 'seed'],
  ['top_k', 'top_k'],
  ['min_p', 'min_p'],
  ['repetition_penalty', 'repetition_penalty'],
  ['logit_bias', 'logit_bias'],
];

/** What vLLM and OpenRouter say of a model, for clients that size and adapt their requests by it. Empty where nothing is known. */
function sizesOf({ context, caps }: ModelEntry): object {
  const task = taskOf(caps);
  const isChat = task === 'chat';
  const inputs = isChat && caps.includes('images') ? ['text', 'image'] : ['text'];
  const output = isChat ? 'text' : 'embeddings';
  return {
    ...(context !== null && { max_model_len: context, context_length: context }),
    ...(task !== null && {
      architecture: { modality: `${inputs.join('+')}->${output}`, input_modalities: inputs, output_modalities: [output] },
      supported_parameters: isChat
        ? [...ALWAYS, ...FIELDS.flatMap(([word, ...fields]) => (caps.includes(word) ? fields : []))]
        : ['encoding_format', ...(caps.includes('matryoshka') ? ['dimensions'] : [])],
      top_provider: { context_length: context, max_completion_tokens: isChat ? context : null, is_moderated: false },
    }),
  };
}

const one: ModelFormat['one'] = (entry) => ({
  id: entry.id,
  object: 'model',
  created: UNKNOWN_TIME,
  owned_by: entry.owner,
  // Not in the contract, but some clients read it.
  ...sizesOf(entry),
});

/** Models as the chat contract writes them. */
export const chatModels: ModelFormat = { one, list: (entry) => ({ object: 'list', data: [one(entry)] }) };
