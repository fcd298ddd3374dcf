import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { TrainingFault } from '../../training-fault.js';

const Places = z.object({
  /** Folder of the libraries below `node_modules`. */
  folder: z.string(),
  default_threads: z.int().min(1).max(127),
  /** By file name: the SHA-256 of the file, and where its default number of threads is, as a 32-bit number. */
  files: z.record(z.string(), z.object({ sha256: z.string(), at: z.array(z.int().positive()).length(2) })),
});

/** Where the number of threads is in each library of the embedded trainer. */
export type ThreadPlaces = z.infer<typeof Places>;

/** Reads `threads.json`. */
export const readThreadPlaces = async (path: string): Promise<ThreadPlaces> => Places.parse(JSON.parse(await readFile(path, 'utf8')));

/**
 * Copies the CPU libraries of the embedded trainer with another default number of threads. The trainer always computes with that
 * default (4), and its threads spin at barriers: with one core free a step then takes 150 times as long. It has no setting for it.
 * @param modules the folder `node_modules` of the installation
 * @param to the folder that the trainer is given as its `backendsDir`
 * @throws TrainingFault `trainer_unavailable` for a library that is not exactly the known one
 */
export async function copyWithThreads(places: ThreadPlaces, modules: string, to: string, threads: number): Promise<void> {
  const [name = '', platform = ''] = places.folder.split('/').toReversed();
  const target = join(to, platform, name);
  await mkdir(target, { recursive: true });
  for (const [file, { sha256, at }] of Object.entries(places.files)) {
    const bytes = await readFile(join(modules, places.folder, file)).catch((cause: unknown) => unknownLibrary(file, cause));
    if (createHash('sha256').update(bytes).digest('hex') !== sha256) unknownLibrary(file);
    for (const place of at) {
      if (bytes.readUInt32LE(place) !== places.default_threads) unknownLibrary(file);
      bytes.writeUInt32LE(threads, place);
    }
    await writeFile(join(target, file), bytes);
  }
}

/** Folder of the libraries, for those who look at them. */
export const libraryFolder = (places: ThreadPlaces, modules: string): string => dirname(join(modules, places.folder, 'x'));

function unknownLibrary(file: string, cause?: unknown): never {
  const message = `The library ${file} of the embedded trainer is not the known one, so its number of threads cannot be set. Install the pinned version again.`;
  throw new TrainingFault('trainer_unavailable', message, {}, { cause });
}
