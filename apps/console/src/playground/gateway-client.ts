import { type IncomingMessage, request as askPlain } from 'node:http';
import { request as askSecure } from 'node:https';
import { ServiceError } from '@slipway/contracts';

/** One question to the gateway. */
export interface GatewayQuestion {
  /** From the slash on. */
  readonly path: string;
  /** JSON, as it goes out. */
  readonly body: Buffer;
  readonly key: string;
  /** Takes the question back, whether or not it is answered already: the gateway stops its work. */
  readonly signal: AbortSignal;
}

/** Asks the inference API, and hands on what it answers while it comes. */
export class GatewayClient {
  /** @param url without a path */
  constructor(private readonly url: string) {}

  /**
   * The answer once its headers are there, whatever its status; its body is unread.
   * @throws ServiceError `unavailable` where none comes
   */
  ask({ path, body, key, signal }: GatewayQuestion): Promise<IncomingMessage> {
    const send = this.url.startsWith('https:') ? askSecure : askPlain;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': body.length };
    return new Promise((resolve, reject) => {
      // A connection for each: none that the gateway has closed meanwhile is ever used.
      const request = send(new URL(path, this.url), { method: 'POST', headers, signal, agent: false });
      request.on('response', resolve);
      request.on('error', (cause) => reject(new ServiceError('unavailable', 'The gateway cannot be reached; try again soon.', { cause })));
      request.end(body);
    });
  }
}
