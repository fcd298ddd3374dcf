import { ServiceError } from '@slipway/contracts';
import type { SurfaceRegistry } from '../surfaces/surface-registry.js';

const HEALTH = new Set(['/livez', '/readyz']);

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

/** Says why no route takes a request, and what to set in a client whose base URL is wrong. */
export function explainUnrouted(method: string, target: string, { surfaces, baseUrl }: Directions): ServiceError {
  const path = pathOf(target);
  if (HEALTH.has(path) && method !== 'GET') return methodNotAllowed('GET');
  const endpoint = surfaces.endpointAt(path);
  if (endpoint && endpoint.method !== method) return methodNotAllowed(endpoint.method);
  const { hint, endpoints } = surfaces.of(path);
  const [{ method: usual, path: end }] = endpoints;
  return new ServiceError(
    'not_found',
    hint(path, baseUrl) ?? `There is nothing here. The endpoint is ${usual} ${baseUrl}/deployment-<id>${end}.`,
  );
}

/** A path whose deployment part shows a wrong base URL; null when it looks right. */
export function misdirected(target: string, { surfaces, baseUrl }: Directions): ServiceError | null {
  const path = pathOf(target);
  const message = /\/v1\/v1\//.test(path) || surfaces.lacksDeployment(path) ? surfaces.of(path).hint(path, baseUrl) : null;
  return message === null ? null : new ServiceError('not_found', message);
}

function methodNotAllowed(allow: string): ServiceError {
  return new ServiceError('method_not_allowed', `Use ${allow} here.`, { facts: { allow } });
}
