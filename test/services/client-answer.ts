import { until } from '../testing/until.js';

/** Only bounds a failure. */
const WITHIN_MS = 60_000;
/** A client that polls leaves after this: its request may have come into a queue that moves only when the test goes on. */
const PATIENCE_MS = 10_000;

/** Whom and what a client calls. */
export interface Call {
  /** Address of a gateway. */
  readonly gateway: string;
  /** `deployment-<id>` or `account/alias`. */
  readonly path: string;
  readonly key: string;
  readonly text?: string;
  readonly stream?: boolean;
}

/** An answer to the last byte. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function send({ gateway, path, key, text = 'ping', stream = false }: Call, signal: AbortSignal | null = null): Promise<Response> {
  const model = path.split('/').at(-1);
  return fetch(`${gateway}/${path}/v1/chat/completions`, {
    method: 'POST',
    signal,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, max_tokens: 8, messages: [{ role: 'user', content: text }] }),
  });
}

/** Asks once for an answer that is not streamed. */
export async function ask(call: Call, signal: AbortSignal | null = null): Promise<Answer> {
  const response = await send(call, signal);
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
}

const parsed = ({ body }: Answer): { error?: { code?: string }; model?: string } => JSON.parse(body) as object;

/** `error.code`; undefined in a good answer. */
export const codeOf = (answer: Answer): string | undefined => parsed(answer).error?.code;

/** The deployment that answered. */
export const modelOf = (answer: Answer): string | undefined => parsed(answer).model;

/** All that could tell two refusals apart: what differs by nature from one answer to the next is left out. */
export function fingerprintOf({ status, headers, body }: Answer): string {
  // How long a connection is kept depends on what came on it before.
  const { date: _date, 'keep-alive': _kept, 'x-request-id': _id, 'request-id': _sameId, ...others } = headers;
  return JSON.stringify([status, others, body]);
}

/** Asks until the answer is as wanted, and returns it. */
export function answerOf(what: string, call: Call, wanted: (answer: Answer) => boolean): Promise<Answer> {
  let last: Answer | undefined;
  const attempt = async (): Promise<Answer | null> => {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    const answer = await ask(call, patience).catch((error: unknown) => {
      if (!patience.aborted) throw error;
      return null;
    });
    last = answer ?? last;
    return answer && wanted(answer) ? answer : null;
  };
  return until(what, attempt, WITHIN_MS).catch((error: unknown) => {
    throw new Error(`The last answer was ${JSON.stringify(last)}`, { cause: error });
  });
}

/** A streamed answer as it comes. */
export class ClientStream {
  #text = '';
  #over = false;
  /** The connection broke before the end of the answer. */
  broken = false;

  static async open(call: Omit<Call, 'stream'>): Promise<ClientStream> {
    const response = await send({ ...call, stream: true });
    const stream = new ClientStream();
    void stream.#read(response);
    return stream;
  }

  get text(): string {
    return this.#text;
  }

  /** Every `data:` but `[DONE]`. */
  get chunks(): { error?: { code: string }; model?: string; choices?: { finish_reason: string | null }[] }[] {
    const data = this.#text.split('\n').filter((line) => line.startsWith('data: {'));
    return data.map((line) => JSON.parse(line.slice(6)) as object);
  }

  whenSaid(text: string): Promise<true> {
    return until(`the stream says ${text}`, () => this.#text.includes(text), WITHIN_MS);
  }

  whenOver(): Promise<true> {
    return until('the stream is over', () => this.#over, WITHIN_MS);
  }

  /** How the stream ended, as far as a client can tell. */
  get ending(): { error: string | undefined; clean: boolean } {
    const { chunks } = this;
    const finished = chunks.some(({ choices }) => choices?.some(({ finish_reason }) => finish_reason !== null));
    return { error: chunks.at(-1)?.error?.code, clean: !this.broken || finished || this.#text.includes('[DONE]') };
  }

  async #read(response: Response): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const bytes of response.body ?? []) this.#text += decoder.decode(bytes as Uint8Array, { stream: true });
    } catch {
      this.broken = true;
    }
    this.#over = true;
  }
}
