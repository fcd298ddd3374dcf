import type { EngineKind } from '@slipway/engine';
import type { EngineChoice } from '@slipway/contracts';
import { HttpEngine, type Upstream } from './http-engine.js';

/** Engines behind servers of the chat-completions contract. */
export const httpKind: EngineKind<Upstream & { readonly kind: 'http'; readonly engine?: EngineChoice | undefined }> = {
  kind: 'http',
  create: ({ url, model, engine }, settings) =>
    new HttpEngine({ url, model, matryoshka: engine?.options?.['matryoshka'] === 'on' }, settings),
};
