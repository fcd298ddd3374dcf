import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A running server with faults. */
export interface FaultyServer {
  readonly url: string;
  /** Keys that it was sent. */
  readonly keys: ReadonlySet<string>;
  end(): Promise<void>;
}

const CHUNK = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
const chunk = (delta: object, finish: string | null): string =>
  `data: ${JSON.stringify({ ...CHUNK, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

/**
 * An OpenAI-like server that answers every request to its one route, also one without messages, ends its streams without `[DONE]`,
 * and repeats the key in its errors.
 */
export async function startFaultyServer(): Promise<FaultyServer> {
  const keys = new Set<string>();
  const server = createServer((request, response) => void answer(request, response, keys));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys,
    end: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, keys: Set<string>): Promise<void> {
  keys.add(request.headers.authorization ?? '');
  let text = '';
  for await (const piece of request) text += String(piece);
  if (request.url === '/v1/chat/completions' && text.includes('"stream":true')) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(chunk({ role: 'assistant', content: 'Hello' }, null) + chunk({}, 'stop'));
    return;
  }
  const [status, body] = documentFor(request);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function documentFor({ url, headers }: IncomingMessage): readonly [status: number, body: object] {
  if (url === '/v1/models') return [200, { object: 'list', data: [{ id: 'm' }] }];
  if (url !== '/v1/chat/completions') return [404, { detail: `Not found for ${headers.authorization}` }];
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello', refusal: null }, logprobs: null, finish_reason: 'stop' }];
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  return [200, { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage }];
}
