import { type ErrorCode, isRecord, ServiceError } from '@slipway/contracts';
import { LOOKAHEAD, withoutQuotes } from './without-quotes.js';

/** A refusal as the upstream worded it. */
export interface UpstreamRefusal {
  readonly status: number;
  /** For conclusions. */
  readonly message: string;
  /** Its own words without what they quote, fit for a log and for who asked; empty where there are none. */
  readonly said: string;
  readonly param: string | undefined;
  readonly retryAfter: string | undefined;
  /** Figures of llama-server. */
  readonly promptTokens: number | undefined;
  readonly context: number | undefined;
}

const textIn = (record: Record<string, unknown>, field: string): string | undefined =>
  typeof record[field] === 'string' ? record[field] : undefined;
const numberIn = (record: Record<string, unknown>, field: string): number | undefined =>
  typeof record[field] === 'number' ? record[field] : undefined;

/** A body as a JSON object; empty where it is none. */
export function parseRecord(body: string): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(body);
    return isRecord(json) ? json : {};
  } catch {
    return {};
  }
}

const SAID_CHARS = 500;
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu;
/** What looks like a credential: some servers and proxies repeat the headers that they were sent. */
const CREDENTIALS = /\b(bearer\s+)\S+|\bsk-[\w-]{8,}/gi;

/** The first words of an upstream on one line; nothing of a page that was meant for a browser. */
function saidIn(message: string, sent: Iterable<string>): string {
  const text = message
    .slice(0, 4 * SAID_CHARS)
    .replace(CONTROLS, ' ')
    .trim();
  if (/^[<{[]|^$/.test(text)) return '';
  const words = text.replace(CREDENTIALS, '$1***');
  // What is behind the cut may be the rest of a quotation.
  const known = message.length > 4 * SAID_CHARS ? Math.max(0, words.length - LOOKAHEAD) : words.length;
  return withoutQuotes(words, sent, Math.min(SAID_CHARS, known));
}

/** FastAPI's list of what is wrong: the first entry, with the field that it is about. */
function firstDetail(detail: unknown): { readonly message: string; readonly param: string | undefined } | null {
  const first: unknown = Array.isArray(detail) ? detail[0] : undefined;
  const message = isRecord(first) ? textIn(first, 'msg') : undefined;
  if (!isRecord(first) || message === undefined) return null;
  const where: unknown = first['loc'];
  const field: unknown = Array.isArray(where) ? where[1] : undefined;
  return { message, param: typeof field === 'string' ? field : undefined };
}

const fieldNamedIn = (message: string): string | undefined => /^Field '([a-z_]+)'/.exec(message)?.[1];

/** An answer that refuses, and what it may quote. */
export interface RefusingAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** The body as it came, for one that says nothing in a known way. */
  readonly text: string;
  readonly retryAfter?: string | undefined;
  /** What must not be repeated. */
  readonly sent: Iterable<string>;
}

/** Words of a refusal that are looked at, in characters. */
const READ_CHARS = 8 * 1024;

/** Reads the error bodies in use: `{error: {…}}`, `{error: "…"}`, flat (SGLang) and `{detail: …}` (frameworks below), a text or a list. */
export function readRefusal({ status, body: outer, text, retryAfter, sent }: RefusingAnswer): UpstreamRefusal {
  const inner = isRecord(outer['error']) ? outer['error'] : outer;
  const detail = firstDetail(outer['detail']);
  const reported = textIn(inner, 'message') ?? textIn(outer, 'error') ?? textIn(outer, 'detail');
  const message = (reported ?? detail?.message ?? text).slice(0, READ_CHARS);
  return {
    status,
    message: [textIn(inner, 'type'), textIn(inner, 'code'), message].filter(Boolean).join(' ').trim().slice(0, 2_000),
    said: saidIn(message, sent),
    // llama-server names the field in its message alone.
    param: textIn(inner, 'param') ?? detail?.param ?? fieldNamedIn(message),
    retryAfter,
    promptTokens: numberIn(inner, 'n_prompt_tokens') ?? figure(message, PROMPT_FIGURES),
    context: numberIn(inner, 'n_ctx') ?? figure(message, CONTEXT_FIGURES),
  };
}

const CONTEXT_WORDS =
  /context[ _-](length|window|size)|maximum context|max_model_len|exceed_context_size|prompt (is )?too long|input (is )?too long|too many (input |prompt )?tokens/i;
/** vLLM (three wordings), SGLang (two), llama-server and the published contract, as far as they say how long the prompt itself is. */
const PROMPT_FIGURES = [
  /\((\d+) in the messages/,
  /(\d+) (?:input|prompt) tokens/,
  /(\d+) tokens from the input messages/,
  /input \((\d+) tokens\) is longer/,
  /request \((\d+) tokens\) exceeds/,
  /messages resulted in (\d+) tokens/,
];
const CONTEXT_FIGURES = [/maximum context length (?:is|of) (\d+)/, /context (?:length|size) \((\d+) tokens\)/];

function figure(message: string, patterns: readonly RegExp[]): number | undefined {
  for (const pattern of patterns) {
    const match = pattern.exec(message)?.[1];
    if (match !== undefined) return Number(match);
  }
  return undefined;
}

/**
 * Tokens that would fit behind the prompt, when that is all the upstream complains about: some refuse a limit
 * above the room left, where callers were promised that it is lowered. Null = the refusal has another reason.
 */
export function roomLeft(refusal: UpstreamRefusal): number | null {
  if (refusal.status !== 400 || refusal.promptTokens === undefined || refusal.context === undefined) return null;
  const room = refusal.context - refusal.promptTokens;
  return room >= 1 ? room : null;
}

/** Seconds or a date, as HTTP has it; 1 to 30. */
function retryAfterSeconds(value = ''): number {
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - Date.now()) / 1_000);
  return Math.min(30, Math.max(1, seconds || 1));
}

/** The error that a refusal's text shows, whatever its status: some servers answer bad input with 500. */
const SUBJECTS: readonly (readonly [words: RegExp, error: () => ServiceError])[] = [
  [
    /image input is not supported|not a multimodal model|does not support (images|vision|image input)|missing data required for image|at most 0 image/i,
    () => new ServiceError('unsupported_content', 'The model of this deployment takes no images.', { param: 'messages' }),
  ],
  [
    /does not support tools|tool choice requires|tool-call-parser|tools? param requires/i,
    () => new ServiceError('unsupported_parameter', 'The engine of this deployment does not support tools.', { param: 'tools' }),
  ],
  [
    /does not support thinking/i,
    () =>
      new ServiceError('unsupported_parameter', 'The model of this deployment does not support reasoning_effort.', {
        param: 'reasoning_effort',
      }),
  ],
  [
    /lora adapters? .*(not loaded|does not exist|could not be loaded)|lora (adapter|is not enabled)/i,
    () => new ServiceError('engine_error', 'The engine does not have the adapter of this deployment.'),
  ],
  [
    /failed to parse grammar|invalid grammar|grammar (error|is invalid)|failed to convert the grammar|invalid regex/i,
    () =>
      new ServiceError('invalid_value', 'The engine of this deployment cannot read this grammar or pattern.', {
        param: 'structured_outputs',
      }),
  ],
  [
    /prefill is incompatible|cannot continue an assistant message/i,
    () =>
      new ServiceError('unsupported_value', 'The engine of this deployment cannot continue this message; switch reasoning off.', {
        param: 'messages',
      }),
  ],
];

const FIELDS = new Set([
  'messages',
  'tools',
  'tool_choice',
  'response_format',
  'structured_outputs',
  'logprobs',
  'top_logprobs',
  'n',
  'min_tokens',
  'stop_token_ids',
  'reasoning_effort',
  'chat_template_kwargs',
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'seed',
  'stop',
  'max_tokens',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'logit_bias',
]);

function contextExceeded({ promptTokens: tokens, context }: UpstreamRefusal): ServiceError {
  const known = tokens !== undefined && context !== undefined;
  const message = known
    ? `This model's maximum context length is ${context} tokens, but the messages take ${tokens} tokens. Shorten them.`
    : "The messages exceed this model's maximum context length. Shorten them.";
  return new ServiceError('context_length_exceeded', message, { param: 'messages', ...(known && { facts: { tokens, context } }) });
}

/** Statuses under which servers complain about what they were sent. */
const ABOUT_INPUT = new Set([400, 413, 422, 500, 501]);

function aboutInput(refusal: UpstreamRefusal): ServiceError | null {
  if (!ABOUT_INPUT.has(refusal.status)) return null;
  if (CONTEXT_WORDS.test(refusal.message)) return contextExceeded(refusal);
  return SUBJECTS.find(([words]) => words.test(refusal.message))?.[1]() ?? null;
}

function badRequest({ param, said }: UpstreamRefusal): ServiceError {
  const field = param !== undefined && FIELDS.has(param) ? param : undefined;
  const message = `The engine of this deployment refuses ${field ?? 'a value of this request'}.`;
  return new ServiceError('invalid_value', withWords(message, said), { param: field });
}

/** What the upstream says of a request belongs to whoever sent it. */
const withWords = (message: string, said: string): string => (said === '' ? message : `${message} It says: ${said}`);
/** Statuses by which an upstream speaks of the request or of the model that it names. */
const SPEAKS_OF_REQUEST: ReadonlySet<number> = new Set([404, 413]);

/** Statuses that say something else than "the engine failed". */
const WORDING: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  401: ['engine_error', 'The engine refuses the credential of this deployment; its owner must replace it.'],
  403: ['engine_error', 'The engine refuses the credential of this deployment; its owner must replace it.'],
  404: ['engine_error', 'The engine does not have the model of this deployment.'],
  413: ['request_too_large', 'The request is larger than the engine of this deployment takes.'],
};

/** The error that a caller sees for an upstream's refusal, with the upstream's own words where they are about the request. */
export function errorOfRefusal(refusal: UpstreamRefusal): ServiceError {
  const { status } = refusal;
  const subject = aboutInput(refusal);
  if (subject) return subject;
  if (status === 400 || status === 422) return badRequest(refusal);
  if (status === 429 || status === 503 || status === 529) {
    return new ServiceError('overloaded', 'The engine of this deployment has no capacity left.', {
      retryAfterS: retryAfterSeconds(refusal.retryAfter),
    });
  }
  const [code, message] = WORDING[status] ?? ['engine_error', 'The engine of this deployment failed.'];
  return new ServiceError(code, SPEAKS_OF_REQUEST.has(status) ? withWords(message, refusal.said) : message);
}
