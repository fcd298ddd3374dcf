import type { EndFrame, ServiceError, StreamEvent } from '@slipway/contracts';
import { sendError } from '../http/error-response.js';
import { idHeaders, type RequestContext } from '../http/request-context.js';
import type { CountSurface } from '../surfaces/surface.js';
import type { RelayedResponse } from './relayed-response.js';

/** Sends the token count of a prompt, the only content of a count's stream. */
export class TokenCountResponse implements RelayedResponse {
  #tokens: number | undefined;

  constructor(
    private readonly context: RequestContext,
    private readonly surface: Pick<CountSurface, 'response'>,
  ) {}

  events(events: readonly StreamEvent[]): void {
    for (const event of events) if (event.k === 'start') this.#tokens = event.prompt;
  }

  end({ usage }: EndFrame): void {
    const { id, response } = this.context;
    const { headers, body } = this.surface.response({ tokens: this.#tokens ?? usage.prompt, isEstimate: usage.estimated === true });
    response.writeHead(200, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...idHeaders(id),
      'content-length': Buffer.byteLength(body),
      ...headers,
    });
    response.end(body);
  }

  fail(error: ServiceError): void {
    sendError(this.context, error);
  }

  /** A count never waits for a slot, so no keep-alive is needed. */
  tick(): void {
    return undefined;
  }
}
