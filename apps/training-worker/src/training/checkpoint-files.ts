import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
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

/**
 * Packs all files of a checkpoint but its adapter into one.
 * @param to a folder that the trainer cannot write: a link in its own would lead this process elsewhere
 * @returns its path
 */
export async function packState(
  { folder, step, adapter }: { readonly folder: string; readonly step: number; readonly adapter: string | null },
  to: string,
): Promise<string> {
  await mkdir(to, { recursive: true });
  const note = join(to, NOTE);
  const names = (await readdir(folder)).filter((name) => name !== NOTE);
  // One that was converted lies elsewhere, and its trainer goes on from its own form.
  const own = adapter !== null && adapter === join(folder, basename(adapter)) ? basename(adapter) : null;
  await writeFile(note, JSON.stringify({ step, adapter: own }));
  const files = names.map((name) => join(folder, name)).filter((file) => file !== adapter);
  const path = join(to, `state-${step}.tar`);
  await packTar(path, [...files, note]);
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
