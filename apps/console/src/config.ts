import { natsFragment, securityFragment, serviceFragment } from '@slipway/platform';
import { z } from 'zod';
import { isLoopback } from './http/own-origin.js';

const address = (text: string): boolean => /^https?:\/\/[^/?#]+\/?$/.test(text);

/** Everything that the console is told from outside. */
export const ConsoleConfig = z
  .object({
    ...serviceFragment,
    ...natsFragment,
    ...securityFragment,
    /** Port of the console; 0 picks a free one. */
    CONSOLE_PORT: z.coerce.number().int().min(0).max(65_535).default(8081),
    /** Address of the console. It speaks plain HTTP, so beyond loopback is a decision: 0.0.0.0 in a container, behind TLS. */
    CONSOLE_HOST: z.string().min(1).default('127.0.0.1'),
    /** Where people open it, without a path; absent = made of host and port. Requests of other pages are refused. */
    CONSOLE_BASE_URL: z
      .url({ protocol: /^https?$/ })
      .refine(address, 'must be an address without a path, like https://console.example.com')
      .optional(),
    /**
     * `host`: the cookie of a session has the prefix __Host- and wants https, or http on this machine. `plain`: without
     * both, for browsers that want https there too; only with a base URL on this machine.
     */
    CONSOLE_COOKIES: z.enum(['host', 'plain']).default('host'),
    /** Proxies in front that add to X-Forwarded-For; 0 = clients connect themselves. */
    CONSOLE_PROXIES: z.coerce.number().int().min(0).max(10).default(0),
    /** Connections at once; a new one takes the place of the one that has been quiet for longest. */
    CONSOLE_CONNECTIONS_MAX: z.coerce.number().int().min(64).max(100_000).default(1_024),
    /** Connections at once of one address; absent = half of them, and behind proxies all of them. */
    CONSOLE_CONNECTIONS_PER_ADDRESS: z.coerce.number().int().min(16).max(100_000).optional(),
    /** What all request bodies together may hold, in bytes. */
    CONSOLE_BODIES_BYTES_MAX: z.coerce
      .number()
      .int()
      .min(16 * 1024 * 1024)
      .default(64 * 1024 * 1024),
    /** Sign-ins, accepted links and changes of passwords per minute and client address; a third of them at once. */
    SIGN_INS_PER_MIN: z.coerce.number().int().min(1).max(100_000).default(60),
    /** Where clients call the inference API, as people read it in examples; without a path. */
    PUBLIC_BASE_URL: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:8080'),
    /** Where the console itself calls the inference API, for the playground; without a path, absent = PUBLIC_BASE_URL. */
    GATEWAY_URL: z
      .url({ protocol: /^https?$/ })
      .refine(address, 'must be an address without a path, like http://gateway:8080')
      .optional(),
    /** Folder of the built dashboard; absent = apps/dashboard/dist beside this app. */
    DASHBOARD_DIR: z.string().min(1).optional(),
    /** An OpenID Connect provider; absent = people sign in by password alone. Plain http only on this machine. */
    OIDC_ISSUER: z.url({ protocol: /^https?$/ }).optional(),
    OIDC_CLIENT_ID: z.string().min(1).optional(),
    OIDC_CLIENT_SECRET: z.string().min(1).optional(),
    /** What is asked of the provider; the address must be among it. */
    OIDC_SCOPES: z
      .string()
      .regex(/(^| )openid( |$)/, 'must contain openid')
      .default('openid email profile'),
    /** What its button says. */
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
