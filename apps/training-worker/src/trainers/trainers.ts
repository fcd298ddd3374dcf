import type { Logger } from '@slipway/platform';
import { EmbeddedTrainer } from './embedded/embedded-trainer.js';
import { ProgramTrainer } from './program-trainer.js';
import { TorchTrainer } from './torch/torch-trainer.js';
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
  /** A Python that has torch and its packages already; absent = they are installed on request. */
  readonly torchPython?: string | undefined;
  /** A Ray cluster on which the torch trainer trains; absent = on this machine. */
  readonly cluster?: { readonly address: string; readonly workers: number } | undefined;
}

/** The trainers of this machine by name. @throws TypeError for a file that is no manifest */
export async function createTrainers(settings: TrainerSettings, log: Logger): Promise<Map<string, Trainer>> {
  const { folder, threads, manifests, uid, torchPython: python, cluster } = settings;
  const own = await Promise.all(manifests.map((path) => ProgramTrainer.read(path, uid)));
  const bundled = [new EmbeddedTrainer({ folder, threads, log }, uid), new TorchTrainer({ folder, threads, python, cluster }, uid)];
  return new Map([...bundled, ...own].map((trainer) => [trainer.name, trainer]));
}
