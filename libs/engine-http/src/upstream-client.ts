import { Readable } from 'node:stream';
import type { TraceHeaders } from '@slipway/platform';
import { Pool } from 'undici';
import { SocketGate } from './socket-gate.js';
import { type ExchangeOptions, type UpstreamAnswer, UpstreamExchange } from './upstream-exchange.js';

/** Bytes that a server may say of itself: they are read in the loop that serves everybody's streams, and parsed in a few milliseconds. */
export const FACTS_LIMIT = 256 * 1024;

/** A connection that the upstream closed while it lay idle; nothing was answered on it. */
export const STALE: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** A text as JSON; null where it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

export interface UpstreamClientOptions {
  /** Base of the contract, with or without `/v1`. */
  readonly url: string;
  /** Unix socket of the server; absent = the host of `url`. */
  readonly socketPath?: string | undefined;
  readonly credential: string | undefined;
  readonly connections: number;
  readonly connectTimeoutMs: number;
  /** Called when the server closes a connection, or it breaks; not when one is closed from here. */
  readonly dropped?: (() => void) | undefined;
}

/** A body as text, or as UTF-8 in pieces, which are sent as they are. */
export type RequestBytes = string | readonly Uint8Array[];

/** A short question: what is kept of its answer, in bytes, and what is sent with it. */
export interface Question {
  readonly signal: AbortSignal;
  readonly textBytes: number;
  /** Sent as JSON by POST; without it the question is a GET. */
  readonly body?: unknown;
}

/** Whoever keeps its answer as text takes no bytes of it, and needs no pace: what is kept is bounded. */
const KEEPS_TEXT: Pick<ExchangeOptions, 'sink' | 'pace'> = {
  sink: { begins: () => false, bytes: () => false },
  pace: { take: () => true },
};

/** How an answer is taken, and the trace that its request belongs to. */
export interface ConverseOptions extends Omit<ExchangeOptions, 'gate'> {
  readonly trace?: TraceHeaders | undefined;
}

/** An answer whose body was not read yet. */
export interface UpstreamResponse {
  readonly status: number;
  /** A header by its lower-case name. */
  header(name: string): string | undefined;
  readonly body: AsyncIterable<Uint8Array>;
}

const ENDPOINT = '/chat/completions';
/** Versions, and what some servers put behind theirs: `/v1beta/openai`. */
const VERSIONED = /\/v\d+[a-z\d]*(\/openai)?$/;

/**
 * Path under which the contract lives, without a slash behind it. A URL that names the endpoint itself says it; any other
 * one is a base, which ends in a version or gets `/v1`.
 */
export function contractPath(url: URL): string {
  const path = url.pathname.replace(/\/+$/, '');
  if (path.endsWith(ENDPOINT)) return path.slice(0, -ENDPOINT.length);
  return VERSIONED.test(path) ? path : `${path}/v1`;
}

/**
 * Connections to one server. It follows no redirects: a credential must not travel to another host.
 * undici's own time limits are off; callers know better what to wait for.
 */
export class UpstreamClient {
  readonly #pool: Pool;
  readonly #gate = new SocketGate();
  readonly #path: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #chatHeaders: Readonly<Record<string, string>>;
  /** The same, names and values in turn. */
  readonly #chatLines: readonly string[];

  constructor(options: UpstreamClientOptions) {
    const url = new URL(options.url);
    this.#path = contractPath(url);
    // Without this header a server may compress (RFC 9110, 12.5.3), and nothing here unpacks.
    this.#headers = {
      'accept-encoding': 'identity',
      ...(options.credential !== undefined && { authorization: `Bearer ${options.credential}` }),
    };
    this.#chatHeaders = { ...this.#headers, accept: 'text/event-stream', 'content-type': 'application/json' };
    this.#chatLines = Object.entries(this.#chatHeaders).flat();
    this.#pool = new Pool(url.origin, {
      connections: options.connections,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: 4_000,
      connect: this.#gate.connector(options.connectTimeoutMs, options.socketPath),
    });
    const { dropped } = options;
    // An idle connection that is closed from here ends with `InformationalError`.
    if (dropped) this.#pool.on('disconnect', (_, __, { code }) => void (code !== 'UND_ERR_INFO' && dropped()));
  }

  /** Asks below the contract's base: `/models`; with `../` beside it. Rejects as `UpstreamExchange.answer` does. */
  ask(path: string, { body, ...options }: Question): Promise<UpstreamAnswer> {
    const exchange = new UpstreamExchange({ gate: this.#gate, ...KEEPS_TEXT, ...options });
    const json = body === undefined ? null : JSON.stringify(body);
    const headers = { ...this.#headers, accept: 'application/json', ...(json !== null && { 'content-type': 'application/json' }) };
    this.#pool.dispatch({ method: json === null ? 'GET' : 'POST', path: this.#pathOf(path), headers, body: json }, exchange);
    return exchange.answer;
  }

  /** Sends JSON and asks for an answer that `sink` takes while it arrives. Rejects as `UpstreamExchange.answer` does. */
  converse(path: string, body: RequestBytes, { trace, ...options }: ConverseOptions): Promise<UpstreamAnswer> {
    const exchange = new UpstreamExchange({ gate: this.#gate, ...options });
    const isText = typeof body === 'string';
    // undici counts the bytes of a text alone.
    const headers = [...this.#chatLines, ...linesOf(trace)];
    if (!isText) headers.push('content-length', String(lengthOf(body)));
    const bytes = isText ? body : Readable.from(body, { objectMode: false });
    this.#pool.dispatch({ method: 'POST', path: this.#path + path, headers, body: bytes }, exchange);
    return exchange.answer;
  }

  /** Closes all connections, in use or not. */
  close(): Promise<void> {
    return this.#pool.destroy();
  }

  /** @param json as text, or as its UTF-8 */
  async postJson(path: string, json: string | Uint8Array, signal: AbortSignal, trace?: TraceHeaders): Promise<UpstreamResponse> {
    const { statusCode, headers, body } = await this.#pool.request({
      method: 'POST',
      path: this.#pathOf(path),
      headers: { ...this.#chatHeaders, ...trace },
      signal,
      body: json,
    });
    const header = (name: string): string | undefined => {
      const value = headers[name];
      return Array.isArray(value) ? value[0] : value;
    };
    return { status: statusCode, header, body };
  }

  #pathOf(path: string): string {
    return new URL(`http://host${this.#path}${path}`).pathname;
  }
}

const linesOf = (trace: TraceHeaders | undefined): string[] => {
  if (trace === undefined) return [];
  const { traceparent, tracestate } = trace;
  return tracestate === undefined ? ['traceparent', traceparent] : ['traceparent', traceparent, 'tracestate', tracestate];
};

const lengthOf = (pieces: readonly Uint8Array[]): number => pieces.reduce((sum, { length }) => sum + length, 0);

/** At most `limit` bytes of a body as text; the rest is thrown away with its connection. */
export async function readText(body: AsyncIterable<Uint8Array>, limit: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= limit) break;
  }
  return Buffer.concat(chunks).subarray(0, limit).toString('utf8');
}
