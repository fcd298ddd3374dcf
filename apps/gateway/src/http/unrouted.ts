import type { IncomingMessage } from 'node:http';
import { ServiceError } from '@slipway/contracts';
import { READ_METHODS, type SurfaceRegistry } from '../surfaces/registry.js';

const HEALTH: ReadonlySet<string> = new Set(['/livez', '/readyz']);
/** What asks for no key. */
const OPEN: ReadonlySet<string> = new Set([...HEALTH, '/openapi.json', '/.well-known/security.txt']);

/** What is needed to tell a client where to go instead. */
export interface Directions {
  readonly surfaces: SurfaceRegistry;
  /** What clients are told to use, without a path. */
  readonly baseUrl: string;
}

/** The path of a request target, without query; absolute targets lose scheme and authority. */
export function pathOf(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '');
  const end = path.search(/[?#]/);
  return (end === -1 ? path : path.slice(0, end)) || '/';
}

/** True for the health checks, which come each second from every side. */
export const isHealthCheck = (target: string): boolean => HEALTH.has(pathOf(target));

/** A request as it came: method, target and headers. */
type UnroutedRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** Says why no route takes a request, and what to set in a client whose base URL is wrong. */
export function explainUnrouted(request: UnroutedRequest, directions: Directions): ServiceError {
  const { method = '', url = '/', headers } = request;
  const { surfaces, baseUrl } = directions;
  const path = pathOf(url);
  const wrongBase = misdirected(request, directions);
  if (wrongBase) return wrongBase;
  const methods = OPEN.has(path) ? READ_METHODS : surfaces.methodsAt(path);
  if (methods && !methods.includes(method)) return methodNotAllowed(methods.join(', '));
  const { hint, endpoints } = surfaces.of(path, headers);
  const [{ method: usual, path: end }] = endpoints;
  return new ServiceError(
    'not_found',
    hint(path, baseUrl) ?? `There is nothing here. The endpoint is ${usual} ${baseUrl}/deployment-<id>${end}.`,
  );
}

/** A path whose deployment part shows a wrong base URL; null when it looks right. */
export function misdirected({ url = '/', headers }: UnroutedRequest, { surfaces, baseUrl }: Directions): ServiceError | null {
  const path = pathOf(url);
  const message = /\/v1\/v1\//.test(path) || surfaces.lacksDeployment(path) ? surfaces.of(path, headers).hint(path, baseUrl) : null;
  return message === null ? null : new ServiceError('not_found', message);
}

function methodNotAllowed(allow: string): ServiceError {
  return new ServiceError('method_not_allowed', `Use ${allow.replace(', ', ' or ')} here.`, { facts: { allow } });
}
