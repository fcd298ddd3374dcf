import { codeOf, ConsoleError, messageOf } from '../api/console-error.js';
import { session } from '../session/session.js';
import type { Contract } from '../snippets/inference-snippets.js';
import { type Answer, NO_ANSWER } from './conversation.js';
import type { Times } from './figures.js';
import { readEvent } from './read-answer.js';

/** Reads server-sent events out of text that comes in pieces (WHATWG, 9.2.6). Comments and unknown fields are left out. */
export class SseParser {
  #rest = '';
  #data: string[] = [];

  /** The data of each event that is complete with this piece. */
  push(piece: string): string[] {
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#take(line));
  }

  #take(line: string): string[] {
    if (line === '') {
      const event = this.#data;
      this.#data = [];
      return event.length === 0 ? [] : [event.join('\n')];
    }
    const field = /^data(?:: ?(.*))?$/s.exec(line);
    if (field) this.#data.push(field[1] ?? '');
    return [];
  }
}

/** What is kept of an answer as it came, in characters. */
export const RAW_MAX = 400_000;

/** A question to a deployment and what came of it so far. */
export interface Exchange {
  readonly contract: Contract;
  readonly body: object;
  /** `refused`: an error in place of an answer. `failed`: no answer came, or a part of one. */
  readonly status: 'running' | 'done' | 'stopped' | 'refused' | 'failed';
  readonly answer: Answer;
  readonly times: Times;
  /** In the gateway's log. */
  readonly requestId: string | null;
  /** Status line and body of the answer, byte by byte, up to a bound. */
  readonly raw: string;
  /** Why it failed, in words. */
  readonly failure: string | null;
}

export interface ExchangeOptions {
  /** The deployment's slug. */
  readonly deployment: string;
  readonly contract: Contract;
  readonly body: object;
  /** Stops it: what came stays. */
  readonly signal: AbortSignal;
  /** Called at every change, the end last. */
  readonly show: (exchange: Exchange) => void;
  /** Milliseconds that only rise. */
  readonly now?: () => number;
}

/** Nothing is asked twice by itself here: an answer costs. */
const OFFLINE = 'The console cannot be reached. Check your connection, then retry.';
const BROKEN = 'The connection ended before the answer was complete.';

export const begin = ({ contract, body, now = clock }: Pick<ExchangeOptions, 'contract' | 'body' | 'now'>): Exchange => ({
  contract,
  body,
  status: 'running',
  answer: NO_ANSWER,
  times: { sent: now(), first: null, last: null },
  requestId: null,
  raw: '',
  failure: null,
});

const clock = (): number => performance.now();

/** Asks a deployment as who is signed in, and shows the answer while it comes. Never throws. */
export async function runExchange(options: ExchangeOptions): Promise<void> {
  const { deployment, contract, body, signal, show } = options;
  let exchange = begin(options);
  const become = (change: Partial<Exchange>): void => show((exchange = { ...exchange, ...change }));
  become({});
  try {
    const response = await session.open(`/api/playground/${deployment}/${contract}`, { body, signal, slow: true });
    become({ requestId: response.headers.get('request-id'), raw: `HTTP ${response.status}\n\n` });
    await readStream(response, options, (change) => become(change(exchange)));
    become(endOf(exchange));
  } catch (error) {
    become(signal.aborted ? { status: 'stopped' } : faultOf(error, exchange));
  }
}

/** What is known of a failure: the stream's own reason before that of the connection, which breaks after it. */
function faultOf(error: unknown, { answer, raw }: Exchange): Partial<Exchange> {
  if (codeOf(error) === 'offline') return { status: 'failed', failure: OFFLINE };
  if (raw !== '') return { status: 'failed', failure: answer.error ?? messageOf(error) };
  const requestId = error instanceof ConsoleError ? error.request : null;
  return { status: 'refused', failure: messageOf(error), requestId };
}

function endOf({ answer: { error, isWhole } }: Exchange): Partial<Exchange> {
  if (error !== null) return { status: 'failed', failure: error };
  return isWhole ? { status: 'done' } : { status: 'failed', failure: BROKEN };
}

/** How an exchange ended, for screen readers; null while it runs. */
export function endingOf({ status, raw, failure }: Exchange): string | null {
  switch (status) {
    case 'running':
      return null;
    case 'done':
      return 'Answer complete';
    case 'stopped':
      return 'Stopped';
    case 'refused':
      return `Request refused. ${failure ?? ''}`.trim();
    case 'failed':
      return `${raw === '' ? 'No answer.' : 'Answer cut off.'} ${failure ?? ''}`.trim();
  }
}

/** @throws ConsoleError where the connection breaks, and whatever `signal` was aborted with */
async function readStream(
  response: Response,
  { contract, signal, now = clock }: ExchangeOptions,
  become: (change: (exchange: Exchange) => Partial<Exchange>) => void,
): Promise<void> {
  const parser = new SseParser();
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  const broken = (error: unknown): never => {
    throw signal.aborted ? error : new ConsoleError('unavailable', BROKEN);
  };
  for (;;) {
    const { done, value } = (await reader?.read().catch(broken)) ?? { done: true, value: undefined };
    if (done) return;
    const piece = decoder.decode(value, { stream: true });
    const events = parser.push(piece);
    become((exchange) => take(exchange, { piece, events, contract, at: now() }));
  }
}

interface Arrival {
  readonly piece: string;
  readonly events: readonly string[];
  readonly contract: Contract;
  readonly at: number;
}

function take({ answer: before, times, raw }: Exchange, { piece, events, contract, at }: Arrival): Partial<Exchange> {
  const answer = events.reduce((so, data) => readEvent(contract, so, data), before);
  return {
    answer,
    raw: raw.length >= RAW_MAX ? raw : (raw + piece).slice(0, RAW_MAX),
    times: answer.pieces > before.pieces ? { ...times, first: times.first ?? at, last: at } : times,
  };
}
