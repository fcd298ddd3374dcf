import type { Type } from '@nestjs/common';
import type { SurfaceEndpoint, SurfaceRegistration } from './surface.js';

/** A deployment's part of a path: its slug, or account and alias. */
const DEPLOYMENT = '/[^/]+(?:/[^/]+)?';

/** The public contracts of a gateway, and which of them a path belongs to. */
export class SurfaceRegistry {
  readonly #routes: readonly { readonly pattern: RegExp; readonly endpoint: SurfaceEndpoint }[];

  /** @param surfaces the first one answers for paths that belong to none. */
  constructor(private readonly surfaces: readonly [SurfaceRegistration, ...SurfaceRegistration[]]) {
    const endpoints = surfaces.flatMap((surface) => surface.endpoints);
    this.#routes = endpoints.map((endpoint) => ({ pattern: new RegExp(`^${DEPLOYMENT}${literally(endpoint.path)}$`), endpoint }));
  }

  get controllers(): Type[] {
    return this.surfaces.flatMap(({ controllers }) => [...controllers]);
  }

  /** The contract of a path, in which its errors are written. */
  of(path: string): SurfaceRegistration {
    return this.surfaces.find(({ owns }) => owns(path)) ?? this.surfaces[0];
  }

  /** The endpoint at a path, whether its deployment exists or not. */
  endpointAt(path: string): SurfaceEndpoint | undefined {
    return this.#routes.find(({ pattern }) => pattern.test(path))?.endpoint;
  }

  /** True for the path of an endpoint that lacks its deployment. */
  lacksDeployment(path: string): boolean {
    return this.#routes.some(({ endpoint }) => endpoint.path === path);
  }
}

const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
