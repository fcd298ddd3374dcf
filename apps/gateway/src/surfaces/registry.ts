import type { IncomingHttpHeaders } from 'node:http';
import type { Type } from '@nestjs/common';
import type { ModelFormat, SurfaceEndpoint, SurfaceRegistration } from './surface.js';

/** A deployment's part of a path: its slug, or account and alias. */
const DEPLOYMENT = '/[^/]+(?:/[^/]+)?';
/** A valid deployment part of a path; other text of a path is not repeated in messages. */
export const NAMED = '(?:/deployment-[0-9]{1,10}|/[a-z][a-z0-9-]{0,39}/[a-z0-9][a-z0-9._-]{0,62})';

/** The deployment part of a path, or a placeholder. */
export const namedIn = (path: string): string => new RegExp(`^${NAMED}(?=/)`).exec(path)?.[0] ?? '/deployment-<id>';

/** Endpoints of every contract. */
const MODELS = new RegExp(`^${DEPLOYMENT}/v1/models(?:/[^/]+)?$`);

/** The id of a response in an endpoint's path, as a pattern shows it. */
const ID = '\\{id\\}';

/** Methods of endpoints that are read. */
export const READ_METHODS: readonly string[] = ['GET', 'HEAD'];

/** The public contracts of a gateway. */
export class SurfaceRegistry {
  readonly #routes: readonly { readonly pattern: RegExp; readonly endpoint: SurfaceEndpoint }[];

  /** @param all the first one is used for paths that belong to none. */
  constructor(readonly all: readonly [SurfaceRegistration, ...SurfaceRegistration[]]) {
    const endpoints = all.flatMap((surface) => surface.endpoints);
    const patternOf = ({ path }: SurfaceEndpoint): string => literally(path).replace(ID, 'resp_[^/]+');
    this.#routes = endpoints.map((endpoint) => ({ pattern: new RegExp(`^${DEPLOYMENT}${patternOf(endpoint)}$`), endpoint }));
  }

  get controllers(): Type[] {
    return this.all.flatMap(({ controllers }) => [...controllers]);
  }

  /** The contract of a path, else the one whose header the client sent, else the first. */
  of(path: string, headers: IncomingHttpHeaders = {}): SurfaceRegistration {
    const { all } = this;
    const isSent = (header: string | undefined): boolean => header !== undefined && headers[header] !== undefined;
    return all.find(({ owns }) => owns(path)) ?? all.find(({ header }) => isSent(header)) ?? all[0];
  }

  /** The model format for a client. */
  modelsFor(path: string, headers: IncomingHttpHeaders): ModelFormat | undefined {
    return this.of(path, headers).models ?? this.all[0].models;
  }

  /** The methods of the endpoint at a path, whether its deployment exists or not; undefined where there is none. */
  methodsAt(path: string): readonly string[] | undefined {
    if (MODELS.test(path)) return READ_METHODS;
    const methods = this.#routes.filter(({ pattern }) => pattern.test(path)).map(({ endpoint }) => endpoint.method);
    return methods.length > 0 ? methods : undefined;
  }

  /** True for the path of an endpoint without its deployment. */
  lacksDeployment(path: string): boolean {
    return this.#routes.some(({ endpoint }) => endpoint.path === path);
  }
}

const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
