import { z } from 'zod';

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

/**
 * What a service's configuration says about its spans.
 * @param name of the service, such as `gateway`
 */
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
