import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { parseDeploymentSlug, ServiceError } from '@slipway/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { includes } from '../api/role-rank.js';
import { answerError } from '../http/answer-error.js';
import { originOf } from '../http/client-address.js';
import type { RequestBounds } from '../http/request-bounds.js';
import type { SignedIn } from '../sessions/access-tokens.js';
import type { GatewayClient } from './gateway-client.js';
import type { KeyHolder, SessionKeys } from './session-keys.js';

/** Largest conversation, in bytes. */
const BODY_MAX = 1024 * 1024;
/** How often the key of an answer that goes on is looked at, in milliseconds. */
const KEEP_EVERY_MS = 60_000;
const ENDPOINTS: Readonly<Record<string, string>> = { chat: 'v1/chat/completions', messages: 'v1/messages' };
/** Headers of the gateway's answer that pages get. `request-id` names the request in the gateway's log. */
const HEADERS = ['content-type', 'cache-control', 'retry-after', 'request-id', 'x-accel-buffering'] as const;

export interface PlaygroundOptions {
  readonly keys: SessionKeys;
  readonly gateway: GatewayClient;
  /** Proxies in front that add to X-Forwarded-For. */
  readonly proxies: number;
}

interface Call {
  readonly holder: KeyHolder;
  readonly path: string;
  readonly body: Buffer;
  readonly signal: AbortSignal;
}

type Route = { Params: { readonly deployment: string; readonly contract: string } };

/**
 * The playground's way to the gateway: a request of either contract, sent on behalf of who is signed in, and the answer as it
 * comes, byte by byte. The key for it stays here.
 */
export class PlaygroundDoor {
  constructor(private readonly options: PlaygroundOptions) {}

  /** Adds `POST /api/playground/<slug>/<chat|messages>`. */
  install(server: FastifyInstance, bounds: RequestBounds): void {
    void server.register((scope, _options, done) => {
      // Who may not ask is refused before the body is read; what it holds is the gateway's to say.
      scope.addHook('onRequest', (request, reply, next) => {
        try {
          requireMember(askingOf(request));
          next();
        } catch (error) {
          answerError(request, reply, error);
        }
      });
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('application/json', async (request: FastifyRequest) => (await bounds.readOf(request, BODY_MAX)).bytes);
      scope.setErrorHandler((error, request, reply) => answerError(request, reply, error));
      scope.post<Route>('/api/playground/:deployment/:contract', (request, reply) => this.#answer(request, reply));
      done();
    });
  }

  async #answer(request: FastifyRequest<Route>, reply: FastifyReply): Promise<FastifyReply> {
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const path = pathOf(request.params);
    const asking = askingOf(request);
    const holder: KeyHolder = { asking, actor: { kind: 'user', user: asking.user, ...originOf(request.raw, this.options.proxies) } };
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const answer = await this.#ask({ holder, path, body, signal: gone.signal });
    // The answer may take minutes; its question is needed no more.
    request.body = undefined;
    request.held?.release();
    this.#keepWhile(answer, holder);
    for (const name of HEADERS) if (answer.headers[name] !== undefined) void reply.header(name, answer.headers[name]);
    return reply.code(answer.statusCode ?? 502).send(Readable.from(untilItsEnd(answer), { objectMode: false }));
  }

  /** A key that the gateway does not know is replaced, once: it may have ended meanwhile. */
  async #ask(call: Call, isAgain = false): Promise<IncomingMessage> {
    const { keys, gateway } = this.options;
    const { holder, path, body, signal } = call;
    const key = await keys.keyFor(holder);
    const answer = await gateway.ask({ path, body, key, signal });
    if (answer.statusCode !== 401) return answer;
    answer.destroy();
    keys.forget(holder, key);
    if (!isAgain) return this.#ask(call, true);
    throw new ServiceError('auth_unavailable', 'The gateway does not take the playground’s key yet; try again in a moment.');
  }

  /** What takes long outlives the key that it began with, and the session does not: its key is not prolonged. */
  #keepWhile(answer: IncomingMessage, holder: KeyHolder): void {
    // Refused or unanswered, the key ends at its time, and the gateway says so in the stream.
    const timer = setInterval(() => void this.options.keys.keyFor(holder).catch(() => undefined), KEEP_EVERY_MS).unref();
    answer.once('close', () => clearInterval(timer));
  }
}

function askingOf({ signedIn }: FastifyRequest): SignedIn {
  if (signedIn === undefined) throw new ServiceError('session_ended', 'Sign in first.');
  return signedIn;
}

/**
 * The bytes of an answer up to its end or to where it breaks off. Browsers lose the last bytes of a broken response, which
 * hold the reason: here the response ends in order, and pages see by the contract's own end whether an answer is whole.
 */
async function* untilItsEnd(answer: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const bytes of answer) yield bytes as Buffer;
  } catch {
    // What came before says why.
  }
}

function pathOf({ deployment, contract }: Route['Params']): string {
  const endpoint = Object.hasOwn(ENDPOINTS, contract) ? ENDPOINTS[contract] : undefined;
  if (endpoint === undefined || parseDeploymentSlug(deployment) === null) throw new ServiceError('not_found', 'There is nothing here.');
  return `/${deployment}/${endpoint}`;
}

/** Answers use what the account pays for. */
function requireMember({ role }: SignedIn): void {
  if (!includes(role, 'member'))
    throw new ServiceError('not_permitted', 'Only a member or an owner of this account may use the playground.');
}
