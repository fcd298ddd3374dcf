import { ConsoleError } from './console-error.js';
import { watchRequest } from './freshness.js';

/** A call without an answer is given up after so long, in milliseconds: longer than any deadline of the console's own calls. */
const GIVE_UP_MS = 30_000;

const OFFLINE = 'The console cannot be reached. Check your connection; this page keeps retrying.';

/** Of the console, or of a contract that it relays. */
interface ErrorBody {
  readonly error?: { readonly code?: unknown; readonly type?: unknown; readonly message?: unknown; readonly param?: unknown };
}

export interface Question {
  readonly method?: 'GET' | 'POST';
  readonly body?: object;
  /** A session token. */
  readonly token?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The answer may take minutes to begin, as that of a model: waiting for it does not mean that the console is silent. */
  readonly slow?: boolean;
}

async function toError(response: Response): Promise<ConsoleError> {
  const body = (await response.json().catch(() => ({}))) as ErrorBody;
  const { type, message, param, code: named } = body.error ?? {};
  const code = named ?? type;
  // An answer of the gateway that the console relays carries the gateway's id besides the console's own.
  const request = response.headers.get('request-id') ?? response.headers.get('x-request-id');
  if (typeof code !== 'string' || typeof message !== 'string') {
    return new ConsoleError('unavailable', `The console answered with status ${response.status}; try again soon.`, null, request);
  }
  return new ConsoleError(code, message, typeof param === 'string' ? param : null, request);
}

/**
 * Asks the console once. The body of the answer is unread.
 * @throws ConsoleError
 */
export async function open(path: string, question: Question = {}): Promise<Response> {
  const { signal, slow = false } = question;
  const ended = slow ? undefined : watchRequest();
  let response: Response;
  try {
    response = await fetch(path, requestOf(question));
  } catch (error) {
    const isDropped = signal?.aborted === true && !isTimeout(signal);
    ended?.(isDropped ? 'dropped' : 'failed');
    throw isDropped ? error : new ConsoleError('offline', OFFLINE);
  }
  ended?.('answered');
  if (!response.ok) throw await toError(response);
  return response;
}

function requestOf({ method = 'POST', body, token, signal }: Question): RequestInit {
  const headers: Record<string, string> = {};
  if (method === 'POST') headers['content-type'] = 'application/json';
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
  return {
    method,
    headers,
    credentials: 'same-origin',
    cache: 'no-store',
    redirect: 'error',
    ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
    ...(signal && { signal }),
  };
}

/** Whether a signal was aborted by the time limit of `forJson`, and not by the page. */
const isTimeout = ({ reason }: AbortSignal): boolean => reason instanceof DOMException && reason.name === 'TimeoutError';

/**
 * Reads a JSON answer of `ask`, both within 30 s.
 * @param ask sends the question with the given signal
 * @throws ConsoleError `offline` when no answer came in time
 */
export async function forJson<T>(ask: (signal: AbortSignal) => Promise<Response>, signal?: AbortSignal): Promise<T> {
  const limit = AbortSignal.timeout(GIVE_UP_MS);
  const either = signal ? AbortSignal.any([signal, limit]) : limit;
  try {
    return (await (await ask(either)).json()) as T;
  } catch (error) {
    if (limit.aborted && !(error instanceof ConsoleError)) throw new ConsoleError('offline', OFFLINE);
    throw error;
  }
}

/**
 * Asks the console once, for JSON.
 * @throws ConsoleError
 */
export const send = <T>(path: string, question: Question = {}): Promise<T> =>
  forJson<T>((signal) => open(path, { ...question, signal }), question.signal);
