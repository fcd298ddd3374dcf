import type { Logger } from '@slipway/platform';
import { EmbeddedTrainer } from './embedded/embedded-trainer.js';
import { ProgramTrainer } from './program-trainer.js';
import type { Trainer } from './trainer.js';

/** Where trainers are, and how they run. */
export interface TrainerSettings {
  /** Folder of installed trainers. */
  readonly folder: string;
  readonly threads: number;
  /** Paths of the manifests of the operator's trainers. */
  readonly manifests: readonly string[];
}

/** The trainers of this machine by name. @throws TypeError for a file that is no manifest */
export async function createTrainers({ folder, threads, manifests }: TrainerSettings, log: Logger): Promise<Map<string, Trainer>> {
  const own = await Promise.all(manifests.map((path) => ProgramTrainer.read(path)));
  return new Map([new EmbeddedTrainer({ folder, threads, log }), ...own].map((trainer) => [trainer.name, trainer]));
}
