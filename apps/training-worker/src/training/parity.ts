import { TrainingFault } from '../training-fault.js';

/** Largest difference of the trainer's first loss from that of the served template: this share of it, or this much of a small one. */
const SHARE = 0.02;
const LEAST = 0.01;

/**
 * Compares the trainer's loss of the first example with that of the serving engine: they differ when the trainer renders or masks
 * the conversation in another way than serving does, and what is learned would then not be what is asked.
 * @throws TrainingFault `template_mismatch` with both figures
 */
export function assertParity(ours: number, theirs: number): void {
  if (Math.abs(ours - theirs) <= Math.max(SHARE * ours, LEAST)) return;
  const message = `The trainer reads the examples differently from the serving engine: its first loss is ${theirs.toFixed(3)}, the served one ${ours.toFixed(3)}. The base's chat template does not suit this trainer.`;
  throw new TrainingFault('template_mismatch', message, { ours, theirs });
}
