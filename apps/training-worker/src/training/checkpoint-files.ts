import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { packTar, unpackTar } from '../results/tar.js';
import { TrainingFault } from '../training-fault.js';
import type { ResumePoint } from './training-job.js';

/** Says what the packed state lacks. */
const NOTE = 'slipway.json';
const Note = z.object({
  step: z.int().positive(),
  adapter: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/)
    .nullable(),
});

/** Where the packed files of a checkpoint go: beside its folder. */
export const packedPath = (folder: string): string => join(folder, '..', `state-${basename(folder)}.tar`);

/** Packs all files of a checkpoint but its adapter into one beside it. @returns its path */
export async function packState(folder: string, step: number, adapter: string | null): Promise<string> {
  await writeFile(join(folder, NOTE), JSON.stringify({ step, adapter: adapter && basename(adapter) }));
  const files = (await readdir(folder)).map((name) => join(folder, name)).filter((file) => file !== adapter);
  const path = packedPath(folder);
  await packTar(path, files);
  return path;
}

/**
 * Puts a stored checkpoint into a folder, as its trainer wrote it.
 * @throws TrainingFault `storage_failed` for one that is damaged
 */
export async function unpackCheckpoint({ adapter, state }: ResumePoint, folder: string): Promise<void> {
  await unpackTar(state, folder);
  const note = Note.safeParse(JSON.parse(await readFile(join(folder, NOTE), 'utf8'))).data;
  if (!note) throw new TrainingFault('storage_failed', 'A stored checkpoint is damaged.');
  if (note.adapter !== null) await copyFile(adapter, join(folder, note.adapter));
}
