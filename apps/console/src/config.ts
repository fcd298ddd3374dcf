import { blobDoorFragment, natsFragment, securityFragment, serviceFragment } from '@slipway/platform';
import { z } from 'zod';
import { isLoopback } from './http/own-origin.js';

const address = (text: string): boolean => /^https?:\/\/[^/?#]+\/?$/.test(text);

/** Environment of the console. */
export const ConsoleConfig = z
  .object({
    ...serviceFragment,
    ...natsFragment,
    ...securityFragment,
    ...blobDoorFragment,
    /** Port of the console; 0 picks a free one. */
    CONSOLE_PORT: z.coerce.number().int().min(0).max(65_535).default(8081),
    /** Address to listen on. The console speaks plain HTTP: set 0.0.0.0 only in a container or behind TLS. */
    CONSOLE_HOST: z.string().min(1).default('127.0.0.1'),
    /** Address that people open, without a path; absent = host and port. Requests of pages of other origins are refused. */
    CONSOLE_BASE_URL: z
      .url({ protocol: /^https?$/ })
      .refine(address, 'must be an address without a path, like https://console.example.com')
      .optional(),
    /**
     * `host`: session cookies have the prefix __Host- and the attribute Secure. `plain`: neither, for browsers that accept Secure
     * cookies over https only; allowed only with a base URL on this machine.
     */
    CONSOLE_COOKIES: z.enum(['host', 'plain']).default('host'),
    /** Number of trusted proxies in front that append to X-Forwarded-For; 0 = clients connect directly. */
    CONSOLE_PROXIES: z.coerce.number().int().min(0).max(10).default(0),
    /** Most connections; a new one replaces the connection that has been idle for longest. */
    CONSOLE_CONNECTIONS_MAX: z.coerce.number().int().min(64).max(100_000).default(1_024),
    /** Most connections of one client address; absent = half of them, behind proxies all of them. */
    CONSOLE_CONNECTIONS_PER_ADDRESS: z.coerce.number().int().min(16).max(100_000).optional(),
    /** Most memory of all request bodies together, in bytes. */
    CONSOLE_BODIES_BYTES_MAX: z.coerce
      .number()
      .int()
      .min(16 * 1024 * 1024)
      .default(64 * 1024 * 1024),
    /** Sign-ins, accepted links and password changes per minute and client address; the burst is a third of it. */
    SIGN_INS_PER_MIN: z.coerce.number().int().min(1).max(100_000).default(60),
    /** Address of the inference API that examples show, without a path. */
    PUBLIC_BASE_URL: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:8080'),
    /** Address at which the console calls the inference API for the playground, without a path; absent = PUBLIC_BASE_URL. */
    GATEWAY_URL: z
      .url({ protocol: /^https?$/ })
      .refine(address, 'must be an address without a path, like http://gateway:8080')
      .optional(),
    /** Folder of the built dashboard; absent = apps/dashboard/dist beside this app. */
    DASHBOARD_DIR: z.string().min(1).optional(),
    /** Issuer of an OpenID Connect provider; absent = sign-in by password only. Plain http only on this machine. */
    OIDC_ISSUER: z.url({ protocol: /^https?$/ }).optional(),
    OIDC_CLIENT_ID: z.string().min(1).optional(),
    OIDC_CLIENT_SECRET: z.string().min(1).optional(),
    /** Scopes of the provider; the email address must be among their claims. */
    OIDC_SCOPES: z
      .string()
      .regex(/(^| )openid( |$)/, 'must contain openid')
      .default('openid email profile'),
    /** Label of its button. */
    OIDC_NAME: z.string().min(1).max(60).default('Single sign-on'),
  })
  .refine(({ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: id }) => (issuer === undefined) === (id === undefined), {
    path: ['OIDC_CLIENT_ID'],
    message: 'belongs to OIDC_ISSUER: set both or none',
  })
  .refine(({ OIDC_ISSUER: issuer }) => issuer === undefined || issuer.startsWith('https:') || isLoopback(new URL(issuer).hostname), {
    path: ['OIDC_ISSUER'],
    message: 'must be https',
  })
  .refine(
    ({ CONSOLE_COOKIES: cookies, CONSOLE_BASE_URL: url, CONSOLE_HOST: host }) =>
      cookies === 'host' || (url === undefined ? isLoopback(host) : url.startsWith('http:') && isLoopback(new URL(url).hostname)),
    { path: ['CONSOLE_COOKIES'], message: 'may be plain only where the console is opened over http on this machine' },
  );
export type ConsoleConfig = z.infer<typeof ConsoleConfig>;
