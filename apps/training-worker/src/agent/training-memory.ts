import { totalmem } from 'node:os';
import type { TrainingWorkerConfig } from '../config.js';

/** Memory that trainings of this worker may take, in bytes. */
export function trainingMemory({ TRAINING_MEM_BYTES: given }: Pick<TrainingWorkerConfig, 'TRAINING_MEM_BYTES'>): number {
  const constrained = process.constrainedMemory();
  const machine = constrained > 0 && constrained < totalmem() ? constrained : totalmem();
  return given ?? Math.floor(machine / 2);
}
