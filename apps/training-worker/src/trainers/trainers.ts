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
  /** The user that trainers run as where this process is root; absent or 0 = as this process. */
  readonly uid?: number;
}

/** The trainers of this machine by name. @throws TypeError for a file that is no manifest */
export async function createTrainers({ folder, threads, manifests, uid }: TrainerSettings, log: Logger): Promise<Map<string, Trainer>> {
  const own = await Promise.all(manifests.map((path) => ProgramTrainer.read(path, uid)));
  return new Map([new EmbeddedTrainer({ folder, threads, log }, uid), ...own].map((trainer) => [trainer.name, trainer]));
}
