import type { EndFrame, ServiceError, StreamEvent } from '@slipway/contracts';
import { answerError } from '../http/answer.js';
import type { Exchange } from '../http/exchange.js';
import { idHeaders } from '../http/request-id.js';
import type { CountSurface } from '../surfaces/surface.js';
import type { Answer } from './answer.js';

/** Answers with the length of a prompt, which is all that a count's stream says. */
export class CountAnswer implements Answer {
  #tokens: number | undefined;

  constructor(
    private readonly exchange: Exchange,
    private readonly surface: Pick<CountSurface, 'answer'>,
  ) {}

  events(events: readonly StreamEvent[]): void {
    for (const event of events) if (event.k === 'start') this.#tokens = event.prompt;
  }

  end({ usage }: EndFrame): void {
    const { id, response } = this.exchange;
    const { headers, body } = this.surface.answer({ tokens: this.#tokens ?? usage.prompt, isEstimate: usage.estimated === true });
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
    answerError(this.exchange, error);
  }

  /** It is small and never waits for a slot: there is nothing to keep alive. */
  tick(): void {
    return undefined;
  }
}
