import { z } from 'zod';
import { overWithin } from '../time/over-within.js';
import { childOf, newTrace, type TraceContext } from './trace-context.js';

const SAMPLERS = [
  ...(['always_on', 'always_off', 'traceidratio'] as const),
  ...(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const),
] as const;

/** Variables of services that export spans, under OpenTelemetry's own names. */
export const tracingFragment = {
  /** Base URL of an OTLP collector that takes protobuf over HTTP; absent = no span leaves the process. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  /** Which traces are exported; `parentbased_…` follows the caller's decision where there is a caller. */
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS).default('parentbased_traceidratio'),
  /** Share of traces for the samplers with a ratio, 0 to 1. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(0.05),
  /** Name of the service in its spans; absent = slipway-gateway, slipway-inference-worker. */
  OTEL_SERVICE_NAME: z.string().min(1).optional(),
  /** Further attributes of the service, as `name=value` with commas; values may be percent-encoded. */
  OTEL_RESOURCE_ATTRIBUTES: z.string().default(''),
};

/** Where spans go, and which. */
export const TracingSettings = z.object({
  /** Null = nowhere. */
  endpoint: z.string().nullable(),
  sampler: z.enum(SAMPLERS),
  ratio: z.number(),
  service: z.string(),
  attributes: z.record(z.string(), z.string()),
});
/** Where the spans of a process go, and which. */
export type TracingSettings = z.infer<typeof TracingSettings>;

/** @param name of the service, such as `gateway` */
export const tracingSettings = (config: z.output<z.ZodObject<typeof tracingFragment>>, name: string): TracingSettings => ({
  endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
  sampler: config.OTEL_TRACES_SAMPLER,
  ratio: config.OTEL_TRACES_SAMPLER_ARG,
  service: config.OTEL_SERVICE_NAME ?? `slipway-${name}`,
  attributes: attributesOf(config.OTEL_RESOURCE_ATTRIBUTES),
});

function attributesOf(text: string): Record<string, string> {
  const pairs = text.split(',').map((pair) => /^\s*([^=\s]+)\s*=(.*)$/.exec(pair));
  return Object.fromEntries(pairs.flatMap((pair) => (pair ? [[pair[1] ?? '', decoded(pair[2]?.trim() ?? '')]] : [])));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A span that is over. It holds ids, figures and names: never a key, a prompt or an answer. */
export interface EndedSpan {
  readonly trace: TraceContext;
  readonly name: string;
  readonly kind: 'server' | 'consumer';
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Undefined ones are left out. */
  readonly attributes: Readonly<Record<string, string | number | boolean | string[] | undefined>>;
  /** Code of the error that it ended with; absent = none. */
  readonly error?: string | undefined;
}

/** Takes spans of sampled traces, and decides about new ones. */
export interface SpanExport {
  readonly isInRatio: (traceId: string) => boolean;
  readonly record: (span: EndedSpan) => void;
  readonly close: () => Promise<void>;
}

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
