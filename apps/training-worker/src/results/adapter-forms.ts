import { mkdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type LoraAdapter, writeLoraGguf } from './lora-gguf.js';
import { PEFT_FILES, readPeft, writePeft } from './peft.js';
import { packTar } from './tar.js';

/** An adapter in both forms. */
export interface AdapterForms {
  /** Path of the GGUF. */
  readonly gguf: string;
  /** Path of the tar of the PEFT form. */
  readonly peft: string;
  readonly rank: number;
  readonly alpha: number;
  readonly modules: readonly string[];
}

/**
 * Writes both forms of an adapter into a folder.
 * @param base path of its base's GGUF
 * @throws TrainingFault `adapter_mismatch` for matrices that PEFT has no name for
 */
export async function writeForms(out: string, adapter: LoraAdapter, base: string): Promise<AdapterForms> {
  await mkdir(out, { recursive: true });
  const [gguf, peft] = [join(out, 'adapter.gguf'), join(out, 'peft.tar')];
  await writeLoraGguf(gguf, adapter);
  await writePeft(out, adapter, basename(base, '.gguf'));
  await packTar(peft, [join(out, PEFT_FILES.config), join(out, PEFT_FILES.weights)]);
  const modules = [...new Set(adapter.pairs.map(({ tensor }) => tensor.split('.').at(-1) ?? tensor))].toSorted();
  return { gguf, peft, rank: adapter.rank, alpha: adapter.alpha, modules };
}

/**
 * An adapter as GGUF: a file as it is, or what a folder in the form of PEFT holds.
 * @param to path of the GGUF that is written of a folder
 * @param architecture of its base, as GGUF names it
 * @throws TrainingFault `adapter_mismatch` for a folder that is no such adapter
 */
export async function ggufOf(adapter: string, to: string, architecture: string): Promise<string> {
  if (!(await stat(adapter)).isDirectory()) return adapter;
  await mkdir(dirname(to), { recursive: true });
  await writeLoraGguf(to, await readPeft(adapter, architecture));
  return to;
}
