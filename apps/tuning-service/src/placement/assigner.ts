import { Inject, Injectable } from '@nestjs/common';
import { subjectOf, TrainingAssignment, type TrainerHeartbeat, type TrainingItem } from '@slipway/contracts';
import { CONFIG, NATS, type NatsConnection, releaseHeaders, type ServiceConfig } from '@slipway/platform';

/** An unchanged assignment is repeated after this time, in milliseconds. */
const REPEAT_MS = 2_000;

interface Sent {
  readonly text: string;
  readonly term: number;
  readonly no: number;
  readonly at: number;
}

/** Sends each training worker its whole assignment, on change and every 2 s. */
@Injectable()
export class Assigner {
  #sent = new Map<string, Sent>();
  #no = 0;

  constructor(
    @Inject(NATS) private readonly nats: NatsConnection,
    @Inject(CONFIG) private readonly config: ServiceConfig,
  ) {}

  /** @param items what each worker must run, by its name; those without an entry run nothing */
  send(term: number, workers: readonly TrainerHeartbeat[], items: ReadonlyMap<string, readonly TrainingItem[]>): void {
    const now = performance.now();
    const kept = new Map<string, Sent>();
    for (const { tw } of workers) {
      const own = items.get(tw) ?? [];
      const text = JSON.stringify(own);
      const last = this.#sent.get(tw);
      const isSame = last?.text === text && last.term === term;
      if (last && isSame && now - last.at < REPEAT_MS) {
        kept.set(tw, last);
        continue;
      }
      const no = isSame ? (last?.no ?? 0) : (this.#no += 1);
      const message: TrainingAssignment = { term, no, items: [...own] };
      const subject = subjectOf(TrainingAssignment, { env: this.config.SLIPWAY_ENV, tw });
      this.nats.publish(subject, JSON.stringify(message), { headers: releaseHeaders('tuning') });
      kept.set(tw, { text, term, no, at: now });
    }
    this.#sent = kept;
  }
}
