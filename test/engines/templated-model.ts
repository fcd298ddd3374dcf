import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LlamaEngine } from '../../libs/engine-llama/src/llama-engine.js';
import type { EngineFacts } from '../../libs/engine/src/engine.js';
import { DEMO_MODEL } from './demo-engine.js';
import { SETTINGS } from './engine-run.js';

const KEY = Buffer.from('tokenizer.chat_template');

/** The demo model's file with another template, no longer than its own. */
function withTemplate(model: Buffer, template: string): Buffer {
  const bytes = Buffer.from(model);
  // Behind the key stand the type (4 bytes) and the length (8 bytes) of the text.
  const at = bytes.indexOf(KEY) + KEY.length + 4;
  const length = Number(bytes.readBigUInt64LE(at));
  const filler = length - Buffer.byteLength(template) - 4;
  if (filler < 0) throw new Error(`The template is ${-filler} bytes too long.`);
  bytes.write(`${template}{#${' '.repeat(filler)}#}`, at + 8, 'utf8');
  return bytes;
}

/** The demo model under another chat template, until `unload` is called. */
export async function templatedEngine(template: string): Promise<{ engine: LlamaEngine; facts: EngineFacts; unload: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-template-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'model.gguf');
  await writeFile(path, withTemplate(await readFile(DEMO_MODEL), template));
  const engine = new LlamaEngine(path, { ...SETTINGS, slots: 1 });
  try {
    const facts = await engine.load(() => undefined, new AbortController().signal);
    const unload = async (): Promise<void> => {
      await engine.unload();
      await remove();
    };
    return { engine, facts, unload };
  } catch (error) {
    await remove();
    throw error;
  }
}
