import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { type AccountId, type AdapterId, type DeploymentId, type DeploymentView, ListDeployments } from '@slipway/contracts';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { RealWorker } from '../deployments/real-worker.js';
import { ENV } from '../services/bus.js';
import { deploymentsDatabase } from '../services/migrated.js';
import { ServiceInProcess } from '../services/service-in-process.js';
import { until } from '../testing/until.js';
import { BASE, type FakeTrainer } from '../tuning/fake-trainer.js';
import { JobsStage } from '../tuning/jobs-stage.js';
import { SECRET_KEY, TuningRig } from '../tuning/rig.js';
import { AdapterMaker, type WitnessedAdapter } from './witnessed-adapter.js';

const MODELS = fileURLToPath(new URL('../../models', import.meta.url));
export const MODEL = join(MODELS, 'svc-tiny.Q8_0.gguf');

/** Everything from a job to a deployment of its adapter: both services, a scripted trainer, and a real worker. */
export class ServedStage {
  readonly #ends: (() => unknown)[] = [];
  #postgres!: TestPostgres;
  #jobs!: JobsStage;
  #trainer!: FakeTrainer;
  rig!: TuningRig;
  maker!: AdapterMaker;
  /** An adapter of the model whose answers are known. */
  adapter!: WitnessedAdapter;

  /** @param engine address of the HTTP engine that deployments may name; absent = none */
  static async start(engine?: string): Promise<ServedStage> {
    const stage = new ServedStage();
    try {
      await stage.#open(engine);
      return stage;
    } catch (error) {
      await stage.end();
      throw error;
    }
  }

  /** Has a job end with these bytes and this witness; the adapter's number. */
  async trained(
    account: AccountId,
    name: string,
    { content, archive }: Pick<WitnessedAdapter, 'content'> & { readonly archive?: Buffer },
    { facts, distance }: WitnessedAdapter = this.adapter,
  ): Promise<AdapterId> {
    const trainer = this.#trainer;
    const given = await this.#jobs.dataset(account, name);
    const job = await this.#jobs.job(given, { name });
    const item = await this.#jobs.given(trainer, job);
    await trainer.report(item, { state: 'running', steps: 20 });
    await trainer.report(item, { state: 'finishing' });
    const { adapter, ...rest } = await trainer.result(item);
    const answers = facts.witness.map(({ prompt, answer, logprobs }) => ({ prompt, answer, adapter: logprobs, base: logprobs }));
    const { base_sha256, template_sha256, tokenizer_sha256 } = facts;
    const real = {
      ...{ base_sha256, template_sha256, tokenizer_sha256, witness: { answers, distance } },
      gguf: await trainer.store(item, content),
      ...(archive && { peft: await trainer.store(item, archive) }),
    };
    await trainer.report(item, { state: 'succeeded', ...rest, adapter: { ...adapter!, ...real } });
    return (await this.#jobs.seen(account, job, 'succeeded')).adapter!;
  }

  /** Waits until the deployment is in the state. */
  seen(account: AccountId, id: DeploymentId, state: string): Promise<DeploymentView> {
    const probe = async (): Promise<DeploymentView | false | undefined> => {
      const view = (await this.rig.ask(ListDeployments, { account })).deployments.find((one) => one.id === id);
      return view?.state === state && view;
    };
    return until(`deployment ${id} is ${state}`, probe, 90_000);
  }

  async end(): Promise<void> {
    for (const end of this.#ends.toReversed()) await end();
  }

  async #open(engine: string | undefined): Promise<void> {
    this.#postgres = await startTestPostgres();
    this.#ends.push(() => this.#postgres.stop());
    this.rig = await TuningRig.open(this.#postgres);
    this.#ends.push(() => this.rig.close());
    await this.rig.startReplica();
    this.maker = await AdapterMaker.open(MODEL, this.rig.folder);
    this.#ends.push(() => this.maker.close());
    this.adapter = await this.maker.make({ seed: 1 });
    this.#jobs = new JobsStage(this.rig);
    this.#ends.push(() => this.#jobs.end());
    const { base_sha256, template_sha256, tokenizer_sha256 } = this.adapter.facts;
    const base = { ...BASE, path: MODEL, sha256: base_sha256, template_sha256, tokenizer_sha256 };
    this.#trainer = await this.#jobs.trainer({ bases: [base] });
    await this.#serve(engine === undefined ? {} : { ENGINE_HOSTS: new URL(engine).host });
  }

  async #serve(hosts: Readonly<Record<string, string>>): Promise<void> {
    const { bus, folder } = this.rig;
    const deployments = new ServiceInProcess('deployments-service', bus, {
      ...{ LOG_LEVEL: 'info', SLIPWAY_SECRET_KEY: SECRET_KEY, MODEL_DIRS: MODELS, ...hosts },
      DEPLOYMENTS_DATABASE_URL: await deploymentsDatabase(this.#postgres),
    });
    this.#ends.push(() => deployments.end());
    await deployments.ready();
    const worker = new RealWorker(folder, {
      ...{ SLIPWAY_ENV: ENV, NATS_URL: bus.url, NATS_CREDENTIALS_DIR: bus.credentialsDir },
      ...{ MODEL_DIRS: MODELS, MODEL_CACHE_DIR: join(folder, 'cache'), UNLOAD_GRACE_MS: '1000' },
      ...{ ...hosts, ADAPTER_EXPORT_DIR: join(folder, 'exports') },
    });
    this.#ends.push(() => worker.end());
  }
}
