import type { IncomingMessage } from 'node:http';
import { ServiceError } from '@slipway/contracts';
import { READ_METHODS, type SurfaceRegistry } from '../surfaces/registry.js';

const HEALTH: ReadonlySet<string> = new Set(['/livez', '/readyz']);
/** Paths without a key. */
const OPEN: ReadonlySet<string> = new Set([...HEALTH, '/openapi.json', '/.well-known/security.txt']);

/** Needed to name the right endpoint in an error. */
export interface Directions {
  readonly surfaces: SurfaceRegistry;
  /** Public base URL, without a path. */
  readonly baseUrl: string;
}

/** The path of a request target, without query; absolute targets lose scheme and authority. */
export function pathOf(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '');
  const end = path.search(/[?#]/);
  return (end === -1 ? path : path.slice(0, end)) || '/';
}

/** True for a health check. */
export const isHealthCheck = (target: string): boolean => HEALTH.has(pathOf(target));

/** Method, target and headers of a request. */
type UnroutedRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** The error of a request without a route. It names the endpoint, or the base URL to set. */
export function explainUnrouted(request: UnroutedRequest, directions: Directions): ServiceError {
  const { method = '', url = '/', headers } = request;
  const { surfaces, baseUrl } = directions;
  const path = pathOf(url);
  const wrongBase = wrongBaseUrl(request, directions);
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

/** The error of a path that shows a wrong base URL in the client; null when there is none. */
export function wrongBaseUrl({ url = '/', headers }: UnroutedRequest, { surfaces, baseUrl }: Directions): ServiceError | null {
  const path = pathOf(url);
  const message = /\/v1\/v1\//.test(path) || surfaces.lacksDeployment(path) ? surfaces.of(path, headers).hint(path, baseUrl) : null;
  return message === null ? null : new ServiceError('not_found', message);
}

function methodNotAllowed(allow: string): ServiceError {
  return new ServiceError('method_not_allowed', `Use ${allow.replaceAll(', ', ' or ')} here.`, { facts: { allow } });
}
