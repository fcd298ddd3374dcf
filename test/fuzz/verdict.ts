import { ENDPOINTS, type FuzzCase } from './fuzz-case.js';

/** What came back. */
export interface FuzzAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

type Check = (answer: FuzzAnswer, body: unknown) => string | null;

/** Statuses of a request that is wrong; the runner has room for all that are right. */
const REFUSALS: ReadonlySet<number> = new Set([400, 404, 409, 413]);
const MAX_MESSAGE_CHARS = 1_000;
const ID = /^req_[A-Za-z0-9]{22}$/;
/** What would tell of our insides. */
const INSIDES = /node_modules|\n\s+at |\.ts:\d|\.js:\d|TypeError|ZodError|svc_dep_/;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const message = (value: unknown): string | null => {
  if (typeof value !== 'string' || value === '') return 'has no message';
  return value.length > MAX_MESSAGE_CHARS ? `has a message of ${value.length} characters` : null;
};

const chatError: Check = (_, body) => {
  const error = isRecord(body) ? body['error'] : undefined;
  if (!isRecord(error) || Object.keys(error).join() !== 'message,type,param,code') return "has not the contract's error";
  if (typeof error['type'] !== 'string' || typeof error['code'] !== 'string') return 'has no type or code';
  if (error['param'] !== null && typeof error['param'] !== 'string') return 'has a param that is no string';
  return message(error['message']);
};

const messagesError: Check = ({ headers }, body) => {
  const error = isRecord(body) ? body['error'] : undefined;
  if (!isRecord(body) || body['type'] !== 'error' || !isRecord(error)) return "has not the contract's error";
  if (typeof error['type'] !== 'string') return 'has no type';
  if (body['request_id'] !== headers['request-id']) return 'says another request id than its header';
  return message(error['message']);
};

const ERRORS = { chat: chatError, messages: messagesError, responses: chatError };

function refusal(asked: FuzzCase, answer: FuzzAnswer): string | null {
  const { status, headers, body } = answer;
  if (!REFUSALS.has(status)) return 'has a status that no wrong request may have';
  if (asked.valid) return `refuses a valid request: ${body.slice(0, 300)}`;
  if (headers['content-type'] !== 'application/json') return `is of the type ${String(headers['content-type'])}`;
  if (headers['x-should-retry'] !== 'false') return 'does not say that repeating is in vain';
  if (INSIDES.test(body)) return 'tells of our insides';
  return ERRORS[ENDPOINTS[asked.endpoint].contract](answer, parsed(body));
}

/** Lines end with \n alone: texts may hold other separators. */
const events = (body: string): string[] => body.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));

const chatAnswer: Check = ({ headers, body }, document) => {
  if (headers['content-type'] === 'application/json') {
    const choices = isRecord(document) ? document['choices'] : undefined;
    return Array.isArray(choices) && choices.length > 0 ? null : 'is no chat completion';
  }
  const data = events(body);
  if (data.at(-1) !== '[DONE]') return 'is a stream without its end';
  return data.slice(0, -1).every((text) => isRecord(parsed(text)) && !text.startsWith('{"error"')) ? null : 'has a broken or failed chunk';
};

const messagesAnswer: Check = ({ headers, body }, document) => {
  if (headers['content-type'] === 'application/json') return isRecord(document) && document['type'] === 'message' ? null : 'is no message';
  const types = events(body)
    .map((text) => parsed(text))
    .map((event) => (isRecord(event) ? event['type'] : undefined));
  if (types[0] !== 'message_start' || types.at(-1) !== 'message_stop') return 'is a stream without its beginning or end';
  return types.includes(undefined) || types.includes('error') ? 'has a broken or failed event' : null;
};

const responsesAnswer: Check = ({ headers, body }, document) => {
  const isWhole = (response: unknown): boolean =>
    isRecord(response) && response['object'] === 'response' && Array.isArray(response['output']) && response['output'].length > 0;
  if (headers['content-type'] === 'application/json') return isWhole(document) ? null : 'is no response';
  const all = events(body).map((text) => parsed(text));
  if (!all.every((event, i) => isRecord(event) && event['sequence_number'] === i)) return 'has a broken event or a gap';
  const last = all.at(-1);
  const isEnd = isRecord(last) && /^response\.(completed|incomplete)$/.test(String(last['type']));
  return isEnd && isWhole(last['response']) ? null : 'is a stream without its end';
};

const countAnswer: Check = (_, document) => (isRecord(document) && Number.isInteger(document['input_tokens']) ? null : 'is no count');

/** Vectors of floats are of length 1. */
const embeddingsAnswer: Check = (_, document) => {
  const data: unknown = isRecord(document) ? document['data'] : undefined;
  if (!Array.isArray(data) || data.length === 0) return 'has no vectors';
  const isWrong = (entry: unknown, i: number): boolean => {
    if (!isRecord(entry) || entry['index'] !== i) return true;
    const { embedding } = entry;
    if (typeof embedding === 'string') return embedding === '';
    return !Array.isArray(embedding) || Math.abs(Math.hypot(...(embedding as number[])) - 1) > 1e-3;
  };
  return data.some(isWrong) ? 'has a vector of another form' : null;
};

const ANSWERS: Readonly<Record<FuzzCase['endpoint'], Check>> = {
  chat: chatAnswer,
  messages: messagesAnswer,
  responses: responsesAnswer,
  count: countAnswer,
  embeddings: embeddingsAnswer,
};

/** What is wrong with an answer; null = nothing. */
export function verdict(asked: FuzzCase, answer: FuzzAnswer): string | null {
  const id = answer.headers['x-request-id'];
  if (typeof id !== 'string' || !ID.test(id)) return 'has no x-request-id';
  const fault = answer.status === 200 ? ANSWERS[asked.endpoint](answer, parsed(answer.body)) : refusal(asked, answer);
  return fault === null ? null : `${answer.status} ${fault}`;
}
