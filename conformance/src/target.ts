import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Answer } from './answer.js';
import { Mismatch } from './check.js';

/** A deployment, as its clients know it. */
export interface TargetAddress {
  /** Without `/v1`. */
  readonly url: string;
  readonly key: string;
  /** What requests name as their model. */
  readonly model: string;
}

export interface SendOptions {
  readonly method?: string;
  /** Added to the usual ones, or in their place; undefined takes one away. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Leaves as soon as this text has come. */
  readonly leaveAfter?: string;
  /** Called when this text has come. */
  readonly onText?: { readonly text: string; readonly call: () => void };
  /** In place of the target's own key; null sends none. */
  readonly key?: string | null;
  /** Sends the body only after the server has asked for it. */
  readonly expectContinue?: boolean;
  /** A whole path in place of one below the target. */
  readonly path?: string;
}

/** A server under test. It is asked by HTTP alone. */
export class Target {
  readonly url: string;
  readonly model: string;
  readonly key: string;

  constructor(
    address: TargetAddress,
    /** Ends what takes too long, and what is left when the run ends. */
    private readonly signal?: AbortSignal,
  ) {
    this.url = address.url.replace(/\/+$/, '').replace(/\/v1$/, '');
    this.model = address.model;
    this.key = address.key;
  }

  /** The same, until `signal` aborts. */
  until(signal: AbortSignal): Target {
    return new Target(this, signal);
  }

  /** Sends a body and reads the answer to its end. A text or bytes go as they are. */
  send(path: string, body: unknown, options: SendOptions = {}): Promise<Answer> {
    const url = new URL(this.url);
    const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? Buffer.from(body) : Buffer.from(JSON.stringify(body) ?? '');
    const key = options.key === undefined ? this.key : options.key;
    const headers = {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      'content-type': 'application/json',
      'content-length': String(bytes.length),
      ...(options.expectContinue === true && { expect: '100-continue' }),
      ...options.headers,
    };
    const stated = Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined));
    return new Promise((resolve, reject) => {
      const call = url.protocol === 'https:' ? requestHttps : requestHttp;
      const sent = call({
        ...{ protocol: url.protocol, hostname: url.hostname, port: url.port, method: options.method ?? 'POST', headers: stated },
        path: options.path ?? `${url.pathname.replace(/\/$/, '')}${path}`,
        // Each case on a connection of its own: what one leaves behind reaches no other.
        agent: false,
        ...(this.signal && { signal: this.signal }),
      });
      sent.once('response', (response) => resolve(read(response, sent, options)));
      sent.once('upgrade', (response, socket) => {
        socket.destroy();
        resolve(new Answer(response.statusCode ?? 0, headersOf(response), '', true));
      });
      sent.once('error', (error) => reject(new Mismatch('an HTTP answer', error.message)));
      if (options.expectContinue === true) sent.once('continue', () => sent.end(bytes)).flushHeaders();
      else sent.end(bytes);
    });
  }
}

const headersOf = (response: IncomingMessage): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]));

function read(response: IncomingMessage, sent: ClientRequest, { leaveAfter, onText }: SendOptions): Promise<Answer> {
  let text = '';
  let called = false;
  response.setEncoding('utf8');
  return new Promise((resolve) => {
    response.on('data', (piece: string) => {
      text += piece;
      if (leaveAfter !== undefined && text.includes(leaveAfter)) sent.destroy();
      if (onText && !called && text.includes(onText.text)) {
        called = true;
        onText.call();
      }
    });
    response.on('error', () => undefined);
    response.once('close', () => resolve(new Answer(response.statusCode ?? 0, headersOf(response), text, response.complete)));
  });
}
