import type { RequestId } from '@slipway/contracts';
import type { EndedSpan, TraceContext } from '@slipway/platform';
import type { InferenceLine } from './inference-line.js';

/** The operation of the GenAI conventions that a route stands for; undefined for questions about models and the like. */
function operationOf(route: string): string | undefined {
  if (route.endsWith('/embeddings')) return 'embeddings';
  if (route.endsWith('/count_tokens')) return 'count_tokens';
  return /\/(chat\/completions|messages|responses)$/.test(route) ? 'chat' : undefined;
}

/** The span of one HTTP request that is over, of what its log line holds. */
export function requestSpan(id: RequestId, trace: TraceContext, { fields, startedAt }: InferenceLine): EndedSpan {
  const { method = '', route = '', deployment_id: deployment, alias, finish, ttft_ms: firstMs } = fields;
  const operation = operationOf(route);
  const model = alias ?? (deployment === undefined ? undefined : `deployment-${deployment}`);
  const began = performance.timeOrigin + startedAt;
  return {
    trace,
    kind: 'server',
    name: operation !== undefined && model !== undefined ? `${operation} ${model}` : `${method} ${route}`,
    startedAt: began,
    endedAt: began + (fields.ms ?? 0),
    error: fields.error,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': fields.status,
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': operation && 'slipway',
      'gen_ai.request.model': model,
      'gen_ai.request.stream': fields.stream,
      'gen_ai.response.id': operation && id,
      'gen_ai.response.finish_reasons': finish === undefined ? undefined : [finish],
      'gen_ai.response.time_to_first_chunk': firstMs === undefined ? undefined : firstMs / 1_000,
      'gen_ai.usage.input_tokens': fields.prompt_tokens,
      'gen_ai.usage.cache_read.input_tokens': fields.cached_tokens,
      'gen_ai.usage.output_tokens': fields.completion_tokens,
      'slipway.deployment': deployment,
      'slipway.attempts': fields.attempts,
      'slipway.worker': fields.worker,
    },
  };
}
