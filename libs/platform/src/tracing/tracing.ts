import { overWithin } from '../time/over-within.js';
import type { EndedSpan, SpanExport } from './span-export.js';
import { childOf, newTrace, type TraceContext } from './trace-context.js';
import type { TracingSettings } from './tracing-settings.js';

const NOWHERE: TracingSettings = { endpoint: null, sampler: 'always_off', ratio: 0, service: '', attributes: {} };
/** How long a stop waits for the last spans, in milliseconds. */
const LAST_SPANS_MS = 1_000;

/**
 * The traces of one process. Context is always passed on; spans are made of it, at the end of a request, only where a
 * collector is configured. A collector that is slow or away costs spans and nothing else.
 */
export class Tracing {
  #export: SpanExport | null = null;

  /** @param settings without them nothing is exported */
  constructor(private readonly settings: TracingSettings = NOWHERE) {}

  async start(): Promise<void> {
    const { endpoint } = this.settings;
    if (endpoint === null) return;
    // OpenTelemetry takes a second to load: no process without a collector pays for it.
    const { openSpanExport } = await import('./span-export.js');
    this.#export = openSpanExport({ ...this.settings, endpoint });
  }

  async stop(): Promise<void> {
    const closing = this.#export?.close().catch(() => undefined);
    this.#export = null;
    if (closing) await overWithin(LAST_SPANS_MS, closing);
  }

  /** This process's span of a request. @param caller what the request came with; null = nothing valid */
  begin(caller: TraceContext | null): TraceContext {
    const trace = caller ? childOf(caller) : newTrace();
    return this.#export ? { ...trace, isSampled: this.#decides(trace, caller) } : trace;
  }

  /** Exports a span that is over, if its trace is sampled. */
  record(span: EndedSpan): void {
    if (span.trace.isSampled) this.#export?.record(span);
  }

  #decides({ traceId }: TraceContext, caller: TraceContext | null): boolean {
    const { sampler } = this.settings;
    if (caller && sampler.startsWith('parentbased_')) return caller.isSampled;
    if (sampler.endsWith('ratio')) return this.#export?.isInRatio(traceId) ?? false;
    return sampler.endsWith('always_on');
  }
}
