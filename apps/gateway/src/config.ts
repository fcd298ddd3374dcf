import { hostList, natsFragment, parsePeppers, SECRET_KEYS, securityFragment, serviceFragment, tracingFragment } from '@slipway/platform';
import { z } from 'zod';
import { parseOrigins } from './http/cors.js';

const MIB = 1024 * 1024;
const milliseconds = (fallback: number): z.ZodDefault<z.ZodCoercedNumber> =>
  z.coerce.number().int().min(0).max(86_400_000).default(fallback);

/** Reports what `parse` throws as the fault of the variable. */
const parsedBy =
  <T>(parse: (text: string) => T) =>
  (text: string, context: z.RefinementCtx): T => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue((error as Error).message);
      return z.NEVER;
    }
  };

/** The gateway's configuration, from environment variables. */
export const GatewayConfig = z.object({
  ...serviceFragment,
  ...natsFragment,
  ...securityFragment,
  ...tracingFragment,
  /** Port of the inference API; 0 picks a free one. */
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  /** Address of the inference API, which is plain HTTP. Listen beyond loopback only behind TLS, such as 0.0.0.0 in a container. */
  HOST: z.string().min(1).default('127.0.0.1'),
  /** Public base URL, without a path; absent = made of HOST and PORT. */
  PUBLIC_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** The environment's peppers as `id:hex,…`; keys are looked up under each of them. */
  KEY_PEPPERS: z.string().transform(parsedBy(parsePeppers)),
  /** Seals stored responses: the first key seals, all open; absent = they are stored as they are. */
  SLIPWAY_SECRET_KEY: z.string().regex(SECRET_KEYS, 'must be 64 hex characters, or several such keys separated by commas').optional(),
  /** Origins of pages that may call the inference API from a browser, separated by commas; `*` = all; none by default. */
  CORS_ORIGINS: z.string().default('').transform(parsedBy(parseOrigins)),
  /** Largest request body, in bytes. */
  BODY_BYTES_MAX: z.coerce
    .number()
    .int()
    .min(1024)
    .max(32 * MIB)
    .default(8 * MIB),
  /** Hosts that images in messages may be fetched from, by workers that allow them too, separated by commas; none by default. */
  IMAGE_HOSTS: hostList,
  /** Memory for all request bodies until a worker has them, in bytes. An account may use a quarter; above that, requests get 429 or 503. */
  BODIES_BYTES_MAX: z.coerce
    .number()
    .int()
    .min(32 * MIB)
    .default(256 * MIB),
  /** Memory for all responses that are not streamed, and for text that streams keep, in bytes. An account may use a quarter; above that, requests get 503. */
  ANSWERS_BYTES_MAX: z.coerce
    .number()
    .int()
    .min(128 * MIB)
    .default(512 * MIB),
  /** Most concurrent uploads of an account whose record sets no number; a key may have half as many. More get 429. */
  UPLOADS_PER_ACCOUNT_MAX: z.coerce.number().int().min(1).max(100_000).default(512),
  /** Least rate of a body over 5 s, in bytes per second; a slower one gets 408. 0 = any. */
  BODY_BYTES_PER_S_MIN: z.coerce
    .number()
    .int()
    .min(0)
    .max(MIB)
    .default(16 * 1024),
  /** Most open connections; above that, idle ones are closed. */
  CONNECTIONS_MAX: z.coerce.number().int().min(10).max(1_000_000).default(10_000),
  /** Most connections of one address (IPv6: /64 network); 0 = no limit. Behind a proxy, all clients share its address. */
  CONNECTIONS_PER_ADDRESS_MAX: z.coerce.number().int().min(0).max(1_000_000).default(0),
  /** Most connections of one account with a request in progress; 0 = three for each that is free. More get 429. */
  CONNECTIONS_PER_ACCOUNT_MAX: z.coerce.number().int().min(0).max(1_000_000).default(0),
  /** Invalid keys per second and client address that get 401, with bursts of ten times as many; more get 429. 0 = no limit. */
  INVALID_KEYS_PER_S: z.coerce.number().int().min(0).default(100),
  /** How long known keys stay valid while keys-service is not running, in milliseconds; 0 where revocation matters more. */
  KEYS_ABSENT_GRACE_MS: milliseconds(300_000),
  /** Longest wait for the first token, queueing included, in milliseconds. */
  FIRST_TOKEN_TIMEOUT_MS: milliseconds(600_000),
  /** Longest silence of an engine after its first token, in milliseconds. */
  ENGINE_SILENCE_MS: milliseconds(120_000),
  /** Longest wait for a free slot, in milliseconds. */
  QUEUE_WAIT_MS: milliseconds(10_000),
  /** Deployments with a label of their own in the metrics; further ones are counted together, as `other`. */
  METRICS_DEPLOYMENTS_MAX: z.coerce.number().int().min(0).max(10_000).default(500),
  /** How long new requests are still served after /readyz returns 503, so that load balancers notice, in milliseconds. */
  SHUTDOWN_GRACE_MS: milliseconds(0),
});
export type GatewayConfig = z.infer<typeof GatewayConfig>;
