import type { AssignmentItem, RejectCode, Start } from '@slipway/contracts';
import type { Engine, UnreadRequest } from '@slipway/engine';
import { type Logger, OpenSet, traceHeaders, type Tracing } from '@slipway/platform';
import type { Generation, StartOrigin, UnreadStart, WorkerLoad } from '@slipway/stream-transport';
import type { RunnerFigures } from '../runner/runner-messages.js';
import type { EndedGeneration } from '../usage/orphan-book.js';
import { EngineCount } from './engine-count.js';
import { EngineGeneration, type Outcome } from './engine-generation.js';
import { type StartName, StreamLog } from './stream-log.js';

/**
 * Requests that may wait in an engine. Gateways queue requests themselves and send to free slots; the engine's queue holds those
 * that two gateways send to one slot at once, and keeps a slot busy while the next request is on its way.
 */
export const queueBoundOf = (slots: number): number => slots;

/** Token counts at once. They take no slot, so this bounds the memory that their requests take. */
const COUNTS_AT_ONCE = 64;

export interface AdmissionOptions {
  readonly engine: Engine;
  readonly item: AssignmentItem;
  /** Requests that run at once. */
  readonly slots: number;
  /** Tokens per sequence, as the engine reports; null = unknown. */
  readonly context: number | null;
  readonly log: Logger;
  readonly tracing: Pick<Tracing, 'begin' | 'record'>;
  readonly loadChanged: () => void;
  /** A generation has ended. */
  readonly counted: (ended: EndedGeneration) => void;
}

const requestOf = (start: Start | UnreadStart): Start['req'] | UnreadRequest => ('body' in start ? start.body : start.req);

/** Decides which starts a runner admits, and counts their outcomes. */
export class Admission {
  #draining = false;
  /** Generations admitted and not ended; the engine counts one only when it has read its prompt. */
  #admitted = 0;
  #counting = 0;
  #outputs = 0;
  /** Generations without output yet. */
  readonly #awaiting = new OpenSet<StartOrigin>();
  readonly #counts = { done: 0, cancelled: 0, failed: 0, promptTokens: 0, cachedTokens: 0, completionTokens: 0 };

  constructor(private readonly options: AdmissionOptions) {}

  /** Admits nothing from now on. */
  close(): void {
    this.#draining = true;
  }

  /** Admits a start. @returns its generation, or the reason of its refusal */
  admit(start: Start | UnreadStart, origin: StartOrigin): Generation | RejectCode {
    const refusal = this.refusal(start);
    if (refusal) return refusal;
    if (start.api === 'count') return this.#countOf(start, origin);
    this.#admitted += 1;
    this.options.loadChanged();
    return this.#generationOf(start, origin);
  }

  load(): WorkerLoad {
    const { running, queued } = this.#current();
    return { state: this.#draining ? 'draining' : 'ready', slots: this.options.slots, used: running, queued };
  }

  /** A counter that rises with every output of the engine. */
  get outputs(): number {
    return this.#outputs;
  }

  /** The longest time for a first output among the starts that still wait for it, in milliseconds; 0 while none waits. */
  get firstOutputMs(): number {
    return Math.max(0, ...[...this.#awaiting].map(({ deadlineMs }) => deadlineMs));
  }

  figures(): Omit<RunnerFigures, 'rejected'> {
    return { ...this.#current(), ...this.#counts };
  }

  /** The reason to refuse a start now, by its head alone; null = none. */
  refusal({ dep, rev, api }: Pick<Start, 'dep' | 'rev' | 'api'>): RejectCode | null {
    const { item, slots } = this.options;
    if (this.#draining) return 'draining';
    if (dep !== item.dep || rev !== item.rev) return 'not_here';
    if (api === 'count') return this.#counting >= COUNTS_AT_ONCE ? 'busy' : null;
    const { running, queued } = this.#current();
    return running + queued >= slots + queueBoundOf(slots) ? 'busy' : null;
  }

  #current(): { running: number; queued: number } {
    const { running, queued } = this.options.engine.current();
    const total = Math.max(this.#admitted, running + queued);
    const inSlots = Math.min(total, this.options.slots);
    return { running: inSlots, queued: total - inSlots };
  }

  #countOf(start: Start | UnreadStart, { account, trace }: StartOrigin): Generation {
    const { engine, log, tracing } = this.options;
    this.#counting += 1;
    const ended = (): number => (this.#counting -= 1);
    return new EngineCount({
      engine,
      request: requestOf(start),
      account,
      log: new StreamLog({ log, tracing, start, trace: trace && tracing.begin(trace) }),
      ended,
    });
  }

  #generationOf(start: Start | UnreadStart, origin: StartOrigin): Generation {
    const { engine, log, tracing, loadChanged, context, item } = this.options;
    const trace = origin.trace && tracing.begin(origin.trace);
    const [started, from] = [Date.now(), performance.now()];
    this.#awaiting.add(origin);
    let begun = false;
    const begin = (): void => {
      if (!begun) this.#awaiting.delete(origin);
      begun = true;
    };
    return new EngineGeneration({
      engine,
      start,
      request: requestOf(start),
      account: origin.account,
      trace: trace && traceHeaders(trace),
      // The texts of an `embed` start have the context each.
      bounds: { context: start.api === 'embed' ? null : context, defaultMaxTokens: item.default_max_tokens },
      log: new StreamLog({ log, tracing, start, trace }),
      produced: () => {
        begin();
        this.#outputs += 1;
      },
      ended: (outcome) => {
        begin();
        this.#admitted -= 1;
        if (outcome.kind !== 'busy') {
          this.#count(outcome.kind, outcome.usage);
          this.#reportUsage(start, origin, { started, ms: Math.round(performance.now() - from), usage: outcome.usage });
        }
        loadChanged();
      },
    });
  }

  /** Reports nothing of a start without an account and key. */
  #reportUsage(
    { st, at, dep, rev, api }: StartName,
    { gw, account, key, claim }: StartOrigin,
    counts: Pick<EndedGeneration, 'started' | 'ms' | 'usage'>,
  ): void {
    if (account !== null && key !== null) this.options.counted({ start: { st, at, dep, rev, api }, gw, account, key, claim, ...counts });
  }

  #count(kind: Exclude<Outcome['kind'], 'busy'>, { prompt, cached, completion }: Outcome['usage']): void {
    this.#counts[kind] += 1;
    if (kind === 'failed') return;
    this.#counts.promptTokens += prompt;
    this.#counts.cachedTokens += cached;
    this.#counts.completionTokens += completion;
  }
}
