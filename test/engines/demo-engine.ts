import { fileURLToPath } from 'node:url';
import type { CanonicalRequest } from '@slipway/contracts';
import type { EngineSettings } from '../../libs/engine/src/engine.js';
import { LlamaEngine } from '../../libs/engine-llama/src/llama-engine.js';
import { SETTINGS, ask } from './engine-run.js';

/** The model that comes with the product. */
export const DEMO_MODEL = fileURLToPath(new URL('../../models/svc-tiny.Q8_0.gguf', import.meta.url));
export const DEMO_CONTEXT = 1_024;

export async function demoEngine(settings: Partial<EngineSettings> = {}): Promise<LlamaEngine> {
  const engine = new LlamaEngine(DEMO_MODEL, { ...SETTINGS, ...settings });
  await engine.load(() => undefined, new AbortController().signal);
  return engine;
}

/** The demo model ends every answer soon; with one token made certain it goes on until it is stopped. */
export const endless = (more: Partial<CanonicalRequest> = {}): CanonicalRequest =>
  ask('Hello', { sampling: { temperature: 0, logit_bias: { '100': 100 } }, ...more });

/** Tokens 0 to 255 of the demo model's vocabulary are the bytes. */
export const onlyBytes = (...bytes: number[]): Record<string, number> => Object.fromEntries(bytes.map((byte) => [String(byte), 100]));

/** Seven to ten tokens per word of the demo model's vocabulary; all words differ, so nothing of it is cached by chance. */
export const longText = (words: number, salt: string): string => Array.from({ length: words }, (_, i) => `${salt}${i * 7919}`).join(' ');

export const isIdle = (engine: LlamaEngine) => (): boolean => engine.current().running === 0 && engine.current().queued === 0;
