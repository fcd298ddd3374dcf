import { ConsoleError } from './console-error.js';

const OFFLINE = 'The console cannot be reached. Check your connection; this page tries again by itself.';

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
}

async function toError(response: Response): Promise<ConsoleError> {
  const body = (await response.json().catch(() => ({}))) as ErrorBody;
  const { type, message, param, code: named } = body.error ?? {};
  const code = named ?? type;
  if (typeof code !== 'string' || typeof message !== 'string') {
    return new ConsoleError('unavailable', `The console answered with status ${response.status}; try again soon.`);
  }
  return new ConsoleError(code, message, typeof param === 'string' ? param : null);
}

/**
 * Asks the console once. The body of the answer is unread.
 * @throws ConsoleError
 */
export async function open(path: string, { method = 'POST', body, token, signal }: Question = {}): Promise<Response> {
  const headers: Record<string, string> = {};
  if (method === 'POST') headers['content-type'] = 'application/json';
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers,
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ConsoleError('offline', OFFLINE);
  }
  if (!response.ok) throw await toError(response);
  return response;
}

/**
 * Asks the console once, for JSON.
 * @throws ConsoleError
 */
export const send = async <T>(path: string, question: Question = {}): Promise<T> => (await (await open(path, question)).json()) as T;
