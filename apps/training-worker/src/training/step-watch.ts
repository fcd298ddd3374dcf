import type { TrainerEvent } from '../trainers/trainer-events.js';
import { TrainingFault } from '../training-fault.js';
import type { TrainingSink } from './training-job.js';

/** Largest difference of the trainer's first loss from that of the served template: this share of it, or this much of a small one. */
const SHARE = 0.02;
const LEAST = 0.01;

/**
 * Compares the trainer's loss of the first example with that of the serving engine: they differ when the trainer renders or masks
 * the conversation in another way than serving does, and what is learned would then not be what is asked.
 * @returns `template_mismatch` with both figures; null = they agree
 */
export function parityFault(ours: number, theirs: number): TrainingFault | null {
  if (Math.abs(ours - theirs) <= Math.max(SHARE * ours, LEAST)) return null;
  const message = `The trainer reads the examples differently from the serving engine: its first loss is ${theirs.toFixed(3)}, the served one ${ours.toFixed(3)}. The base's chat template does not suit this trainer.`;
  return new TrainingFault('template_mismatch', message, { ours, theirs });
}

/** Losses that are looked at together. */
const WINDOW = 20;
/** Share of the base's loss at which training has diverged; a base with a small loss is taken as one with 0.5. */
const DIVERGED = 3;
const LEAST_LOSS = 0.5;
/** Held-out losses above the best one, in a row, that end a training early. */
const WORSE = 2;

export interface StepWatchOptions {
  readonly sink: TrainingSink;
  /** Loss of the first example on the base; null = the run is resumed, and its first loss is that of no base. */
  readonly firstLoss: number | null;
  /** Mean loss of examples on the base. */
  readonly baseLoss: number;
  /** Learned tokens of an average step. */
  readonly tokensPerStep: number;
  readonly earlyStop: boolean;
}

/** Follows the losses of a run: compares the first one with serving, notices divergence, and knows when more epochs harm. */
export class StepWatch {
  readonly #losses: number[] = [];
  readonly #times: number[] = [];
  #isFirst = true;
  #best = Infinity;
  #worse = 0;

  constructor(private readonly options: StepWatchOptions) {}

  /** Whether held-out examples get worse with further epochs. */
  get isWorse(): boolean {
    return this.options.earlyStop && this.#worse >= WORSE;
  }

  /** @throws TrainingFault `template_mismatch` */
  ready({ loss }: Extract<TrainerEvent, { ev: 'ready' }>): void {
    if (loss !== undefined) this.#begin(loss);
  }

  /** @throws TrainingFault `template_mismatch` or `diverged` */
  step(event: Extract<TrainerEvent, { ev: 'step' }>): void {
    const { sink, baseLoss } = this.options;
    const { step, epoch, loss, lr = null, accuracy = null, margin = null } = event;
    sink.point({ step, epoch, loss, heldLoss: null, accuracy, margin, rate: lr, tokensPerSecond: this.#pace() });
    if (loss === null || !Number.isFinite(loss)) throw diverged('its loss is no number any more', step);
    this.#begin(loss);
    this.#losses.push(loss);
    if (this.#losses.length > WINDOW) this.#losses.shift();
    const mean = this.#losses.reduce((all, each) => all + each, 0) / this.#losses.length;
    const most = DIVERGED * Math.max(LEAST_LOSS, baseLoss);
    if (this.#losses.length === WINDOW && mean > most) throw diverged(`its loss rose to ${mean.toFixed(2)}`, step);
  }

  evaluated({ step, loss, accuracy = null }: Extract<TrainerEvent, { ev: 'eval' }>): void {
    const { sink } = this.options;
    sink.point({ step, epoch: null, loss: null, heldLoss: null, accuracy, margin: null, rate: null, tokensPerSecond: null });
    if (loss === null) return;
    this.#worse = loss < this.#best ? 0 : this.#worse + 1;
    this.#best = Math.min(this.#best, loss);
  }

  /** Compares the first loss that is reported. */
  #begin(theirs: number | null): void {
    const { firstLoss: ours, sink } = this.options;
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (!isFirst || ours === null || theirs === null) return;
    const fault = parityFault(ours, theirs);
    if (fault) throw fault;
    const message = 'The trainer reads the examples as the serving engine does.';
    sink.event({ level: 'info', code: 'parity', message, data: { ours, theirs } });
  }

  #pace(): number | null {
    this.#times.push(performance.now());
    if (this.#times.length > WINDOW) this.#times.shift();
    const [first = 0] = this.#times;
    const seconds = ((this.#times.at(-1) ?? first) - first) / 1_000;
    return seconds > 0 ? ((this.#times.length - 1) * this.options.tokensPerStep) / seconds : null;
  }
}

function diverged(how: string, step: number): TrainingFault {
  const message = `The training diverged at step ${step}: ${how}. Train again with a third of the learning rate.`;
  return new TrainingFault('diverged', message, { step });
}
