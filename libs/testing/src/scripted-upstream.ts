import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One step of an answer. */
export type UpstreamStep =
  | { readonly write: string | Uint8Array }
  | { readonly pauseMs: number }
  /** Waits for a promise of the test. */
  | { readonly until: Promise<unknown> }
  /** Breaks the connection; nothing after it runs. */
  | { readonly cut: true }
  /** Sends nothing more until the client leaves. */
  | { readonly hang: true };

/** Steps of an answer, which ends properly after the last one. */
export interface UpstreamScript {
  /** Breaks the connection before the answer. */
  readonly deaf?: boolean;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly steps: readonly UpstreamStep[];
}

/** A request as it arrived. */
export interface UpstreamRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed JSON, or the text that is none; undefined without a body. */
  readonly body: unknown;
}

/** What a scripted upstream answers to one request. */
export type UpstreamAnswer = (request: UpstreamRequest) => UpstreamScript;

const SSE = { 'content-type': 'text/event-stream; charset=utf-8' };

/** One `data:` event with `data` as JSON; a string is sent unchanged. */
export const sseEvent = (data: unknown): UpstreamStep => ({ write: `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n` });

/** One chunk of a chat completion. */
export const chatChunk = (delta: Readonly<Record<string, unknown>>, finish: string | null = null): UpstreamStep =>
  sseEvent({
    id: 'chatcmpl-s',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'scripted',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });

/** The chunk with a stream's usage. */
export const usageChunk = (prompt: number, completion: number, cached = 0): UpstreamStep =>
  sseEvent({
    choices: [],
    usage: {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      prompt_tokens_details: { cached_tokens: cached },
    },
  });

/** A whole, well-behaved chat stream: role, one chunk for each piece, finish, usage, `[DONE]`. */
export const chatStream = (pieces: readonly string[], finish = 'stop'): UpstreamScript => ({
  steps: [
    chatChunk({ role: 'assistant', content: '' }),
    ...pieces.map((content) => chatChunk({ content })),
    chatChunk({}, finish),
    usageChunk(7, pieces.length),
    sseEvent('[DONE]'),
  ],
});

/** A plain JSON answer. */
export const jsonAnswer = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): UpstreamScript => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  steps: [{ write: JSON.stringify(body) }],
});

/** The model list of a server with one model, which most probes request first. */
export const modelList = (id: string, facts: Readonly<Record<string, unknown>> = {}): UpstreamScript =>
  jsonAnswer(200, { object: 'list', data: [{ id, object: 'model', ...facts }] });

/**
 * An inference server with answers scripted by a test, over real sockets. It counts its connections and has one model,
 * `scripted`.
 */
export class ScriptedUpstream {
  readonly requests: UpstreamRequest[] = [];
  /** Answers to GET requests by path; all other paths get 404. */
  readonly gets = new Map<string, UpstreamScript>([['/v1/models', modelList('scripted')]]);
  /** Answers to other POST requests than chat completions by path; all other paths get 404. */
  readonly posts = new Map<string, UpstreamAnswer>();
  readonly #cut = new WeakSet<ServerResponse>();
  #live = 0;
  #abandoned = 0;
  #connections = 0;

  private constructor(
    private readonly server: Server,
    /** Answer to the next chat requests; a test may replace it at any time. */
    public answer: UpstreamAnswer,
  ) {
    server.on('connection', () => {
      this.#connections += 1;
    });
    server.on('request', (request, response) => void this.#serve(request, response));
  }

  /** Listens on a free port of the loopback address, or where it is told to. */
  static async start(answer: UpstreamAnswer, { port = 0, host = '127.0.0.1' } = {}): Promise<ScriptedUpstream> {
    const server = createServer();
    server.listen(port, host);
    await once(server, 'listening');
    return new ScriptedUpstream(server, answer);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Requests for a chat completion or embeddings that are being answered now. */
  get live(): number {
    return this.#live;
  }

  /** Requests for a chat completion or embeddings whose client left before the answer was complete. */
  get abandoned(): number {
    return this.#abandoned;
  }

  /** Connections that were opened so far. */
  get connections(): number {
    return this.#connections;
  }

  /** Bodies of the chat requests so far. */
  get chats(): Record<string, unknown>[] {
    return this.requests.filter(isChat).map(({ body }) => body as Record<string, unknown>);
  }

  /** Ends all connections and stops listening. */
  async stop(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    const request = await readRequest(incoming);
    this.requests.push(request);
    const script = isChat(request) ? this.answer(request) : this.#asideOf(request);
    if (!isInference(request)) return this.#play(response, script);
    this.#live += 1;
    response.once('close', () => {
      this.#live -= 1;
      if (!response.writableFinished && !this.#cut.has(response)) this.#abandoned += 1;
    });
    return this.#play(response, script);
  }

  /** The answer to a question beside the chat. */
  #asideOf(request: UpstreamRequest): UpstreamScript {
    const { method, path } = request;
    const script = method === 'GET' ? this.gets.get(path) : this.posts.get(path)?.(request);
    return script ?? jsonAnswer(404, { detail: 'Not Found' });
  }

  async #play(response: ServerResponse, script: UpstreamScript): Promise<void> {
    if (script.deaf) {
      this.#break(response);
      return;
    }
    response.writeHead(script.status ?? 200, { ...(script.headers ?? SSE) });
    response.flushHeaders();
    const gone = once(response, 'close');
    for (const step of script.steps) {
      if (response.destroyed) return;
      if ('cut' in step) {
        this.#break(response);
        return;
      }
      await perform(response, step, gone);
    }
    response.end();
  }

  #break(response: ServerResponse): void {
    this.#cut.add(response);
    response.destroy();
  }
}

const isChat = ({ method, path }: UpstreamRequest): boolean => method === 'POST' && path.endsWith('/chat/completions');
const isInference = (request: UpstreamRequest): boolean =>
  isChat(request) || (request.method === 'POST' && request.path.endsWith('/embeddings'));

async function readRequest(incoming: IncomingMessage): Promise<UpstreamRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const { method = '', url = '', headers } = incoming;
  return { method, path: url, headers, body: text === '' ? undefined : parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function perform(response: ServerResponse, step: Exclude<UpstreamStep, { cut: true }>, gone: Promise<unknown>): Promise<void> {
  if ('write' in step) {
    const written = new Promise<void>((resolve) => {
      response.write(step.write, () => resolve());
    });
    await Promise.race([written, gone]);
  } else if ('pauseMs' in step) await Promise.race([sleep(step.pauseMs), gone]);
  else if ('until' in step) await Promise.race([step.until, gone]);
  else await gone;
}
