/**
 * What an engine of conversations can do beyond text from text; those of embeddings report words of their own (`taskOf`). Engines report these words with their state. A gateway refuses a request that
 * needs a capability which the deployment lacks. Readers ignore unknown words.
 */
export const CAPABILITIES = [
  /** Tools for the model, and calls in answers. */
  'tools',
  /** `required` and a named tool are enforced. */
  'tool_choice',
  /** Images in user messages. */
  'images',
  /** Output that is some JSON object. */
  'json_object',
  /** Output that follows a JSON schema. */
  'json_schema',
  /** Output that matches a regular expression. */
  'regex',
  /** Output that is one of given strings. */
  'choice',
  /** Output that follows a GBNF or EBNF grammar. */
  'grammar',
  /** Log probabilities of the tokens. */
  'logprobs',
  /** Several choices for one prompt. */
  'n',
  /** An assistant's last message is continued. */
  'continue_final',
  /** Reasoning can be switched and bounded. */
  'reasoning',
  /** Arguments for the chat template. */
  'template_args',
  'top_k',
  'min_p',
  'repetition_penalty',
  'seed',
  'logit_bias',
  'min_tokens',
  'ignore_eos',
  'stop_token_ids',
  /** Token counts are the model's own, not an estimate. */
  'exact_usage',
  /** `count` starts are answered with the model's own figure. */
  'exact_count',
  /** Reports how much of a prompt was not evaluated again. */
  'cached_tokens',
  /** Says which stop string ended an answer. */
  'stop_sequence',
] as const;
/** A word of `CAPABILITIES`. */
export type Capability = (typeof CAPABILITIES)[number];
