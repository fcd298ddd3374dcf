import { isServiceError, requestIdOf, ServiceError, type Start, type StreamTimes } from '@slipway/contracts';
import type { EndedSpan, Logger, TraceContext, Tracing } from '@slipway/platform';

/** The fields that identify a start. */
export type StartName = Omit<Start, 'req' | 'caps'>;

/** How a stream ended: never its content. */
export interface StreamEnd {
  readonly outcome: 'done' | 'cancelled' | 'failed' | 'busy';
  readonly code?: string | undefined;
  readonly finish?: string | undefined;
  readonly prompt_tokens?: number;
  readonly cached_tokens?: number;
  readonly completion_tokens?: number;
}

export interface StreamLogOptions {
  readonly log: Logger;
  readonly tracing: Pick<Tracing, 'record'>;
  readonly start: StartName;
  /** This worker's span of the request; absent where the gateway sent no trace. */
  readonly trace: TraceContext | undefined;
}

/** Logs one stream, and exports its span: times, counts and outcome. */
export class StreamLog {
  constructor(private readonly options: StreamLogOptions) {}

  /** The line at the end of a stream. */
  ended(end: StreamEnd, times: StreamTimes): void {
    const { log, tracing, trace, start } = this.options;
    const { st, at, dep, rev, api } = start;
    log.info(
      {
        request: requestIdOf(st),
        trace_id: trace?.traceId,
        stream: st,
        attempt: at,
        deployment: dep,
        rev,
        api,
        ...end,
        queue_ms: times.queue,
        prefill_ms: times.prefill,
        ms: times.total,
      },
      'stream',
    );
    if (trace?.isSampled === true) tracing.record(spanOf(trace, start, end, times));
  }

  /** The error that a stream ends with; logs its cause. */
  failure(error: unknown): ServiceError {
    const { log, trace, start } = this.options;
    const failure = isServiceError(error)
      ? error
      : new ServiceError('engine_error', 'The engine failed; its log says why.', { cause: error });
    if (failure.cause !== undefined) {
      const ids = { request: requestIdOf(start.st), trace_id: trace?.traceId, stream: start.st };
      log.error({ ...ids, code: failure.code, fault: describeFault(failure.cause) }, 'stream.fault');
    }
    return failure;
  }
}

const OPERATIONS: Readonly<Record<string, string>> = { embed: 'embeddings', count: 'count_tokens' };

function spanOf(trace: TraceContext, { st, at, dep, rev, api }: StartName, end: StreamEnd, times: StreamTimes): EndedSpan {
  const operation = OPERATIONS[api] ?? 'chat';
  const model = `deployment-${dep}`;
  const endedAt = Date.now();
  return {
    trace,
    kind: 'consumer',
    name: `${operation} ${model}`,
    startedAt: endedAt - times.total,
    endedAt,
    error: end.code,
    attributes: {
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': 'slipway',
      'gen_ai.request.model': model,
      'gen_ai.response.id': requestIdOf(st),
      'gen_ai.response.finish_reasons': end.finish === undefined ? undefined : [end.finish],
      'gen_ai.usage.input_tokens': end.prompt_tokens,
      'gen_ai.usage.cache_read.input_tokens': end.cached_tokens,
      'gen_ai.usage.output_tokens': end.completion_tokens,
      'slipway.attempt': at,
      'slipway.revision': rev,
      'slipway.outcome': end.outcome,
      'slipway.queue_ms': times.queue,
      'slipway.prefill_ms': times.prefill,
    },
  };
}

/** Where an error came from, for the log. Its message stays out, since it may quote a prompt. */
export function describeFault(error: unknown): { name: string; at: string[] } {
  if (!(error instanceof Error)) return { name: typeof error, at: [] };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return { name: error.name, at: frames.slice(0, 8).map((line) => line.trim()) };
}
