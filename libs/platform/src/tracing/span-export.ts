import { type Context, createTraceState, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import { SLIPWAY_VERSION } from '../config/version.js';
import type { TraceContext } from './trace-context.js';
import type { TracingSettings } from './tracing-settings.js';

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

const KINDS = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER } as const;

/** Sends spans to a collector in batches. Those that it does not take are dropped; nothing waits for it or logs about it. */
export function openSpanExport({ endpoint, ratio, service, attributes }: TracingSettings & { readonly endpoint: string }): SpanExport {
  const share = new TraceIdRatioBasedSampler(ratio);
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  let next: TraceContext | undefined;
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': SLIPWAY_VERSION, ...attributes }),
    // The decision was made when the request came.
    sampler: new AlwaysOnSampler(),
    // A span is made when it is over, under the ids that its process has passed on already.
    idGenerator: { generateTraceId: () => next?.traceId ?? '', generateSpanId: () => next?.spanId ?? '' },
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('slipway', SLIPWAY_VERSION);
  return {
    isInRatio: (traceId) => share.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED,
    record: (ended) => {
      next = ended.trace;
      const options = { kind: KINDS[ended.kind], startTime: ended.startedAt, attributes: known(ended.attributes) };
      const span = tracer.startSpan(ended.name, options, callerOf(ended.trace));
      if (ended.error !== undefined) span.setAttribute('error.type', ended.error).setStatus({ code: SpanStatusCode.ERROR });
      span.end(ended.endedAt);
    },
    close: () => provider.shutdown(),
  };
}

function callerOf({ traceId, parentId, state }: TraceContext): Context {
  if (parentId === null) return ROOT_CONTEXT;
  const caller = { traceId, spanId: parentId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, { ...caller, ...(state !== undefined && { traceState: createTraceState(state) }) });
}

const known = (attributes: EndedSpan['attributes']): Record<string, string | number | boolean | string[]> =>
  Object.fromEntries(Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
