import type { EngineSettings } from '@slipway/engine';
import { expect, it } from 'vitest';
import { createEngine, type EngineSource } from './engines.js';

const settings = {} as EngineSettings;
const file: EngineSource = { kind: 'file', path: '/models/none.gguf' };

it.each<[string, EngineSource]>([
  ['unknown', { ...file, engine: { kind: 'toy' } }],
  ['inherited by name alone', { ...file, engine: { kind: 'constructor' } }],
  ['for other sources', { ...file, engine: { kind: 'http' } }],
])('an engine that is %s is refused', async (_, source) => {
  await expect(createEngine(source, settings)).rejects.toMatchObject({ name: 'EngineLoadError', reason: 'engine_refused' });
});
