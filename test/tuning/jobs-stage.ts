import { type AccountId, CreateJob, FindJob, type JobId, type JobView } from '@slipway/contracts';
import { until } from '../testing/until.js';
import { checked, conversations, uploadFile } from './bytes.js';
import { FakeTrainer, type JobItem } from './fake-trainer.js';
import { anAccount, type TuningRig } from './rig.js';

/** Jobs of a rig, with training workers that do what tests say. */
export class JobsStage {
  readonly #trainers: FakeTrainer[] = [];

  constructor(readonly rig: TuningRig) {}

  async trainer(facts: FakeTrainer['facts'] = {}): Promise<FakeTrainer> {
    const trainer = new FakeTrainer(await this.rig.connect('trainer'));
    trainer.facts = facts;
    this.#trainers.push(trainer);
    trainer.beat();
    return trainer;
  }

  end(): void {
    for (const trainer of this.#trainers) trainer.stop();
  }

  /** An account with a data set that is ready. */
  async dataset(account: AccountId = anAccount(), name = 'support') {
    const dataset = await this.rig.createDataset(account, name);
    const version = await uploadFile(this.rig, { account, dataset, text: conversations(30) });
    await checked(this.rig, account, dataset, version);
    return { account, dataset, version };
  }

  async job(given: { account: AccountId; dataset: number | string }, more: object = {}): Promise<JobId> {
    const request = { account: given.account, dataset: given.dataset as never, base: 'tiny', ...more };
    return until('the base is known', async () => {
      const { reply, code } = await this.rig.outcome(CreateJob, request);
      if (code !== undefined && code !== 'base_not_found') throw new Error(`The job was refused: ${code}.`);
      return reply?.job ?? null;
    });
  }

  async view(account: AccountId, job: JobId): Promise<JobView> {
    return (await this.rig.ask(FindJob, { account, job })).job;
  }

  seen(account: AccountId, job: JobId, state: string, reason?: string): Promise<JobView> {
    const probe = async (): Promise<JobView | false> => {
      const view = await this.view(account, job);
      return view.state === state && (reason === undefined || view.reason === reason) && view;
    };
    return until(`job ${job} is ${state}`, probe, 30_000, 50);
  }

  /** Waits until a worker is given a job. */
  given(trainer: FakeTrainer, job: JobId, attempt?: number): Promise<JobItem> {
    return until(`job ${job} is assigned`, () => {
      const item = trainer.item(job);
      return item && (attempt === undefined || item.attempt === attempt) && item;
    });
  }
}
