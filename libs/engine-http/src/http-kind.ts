import type { EngineKind } from '@slipway/engine';
import { HttpEngine, type Upstream } from './http-engine.js';

/** Engines behind servers of the chat-completions contract. */
export const httpKind: EngineKind<Upstream & { readonly kind: 'http' }> = {
  kind: 'http',
  create: ({ url, model }, settings) => new HttpEngine({ url, model }, settings),
};
