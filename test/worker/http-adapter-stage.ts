import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AccountId, type AssignmentItem } from '@slipway/contracts';
import { AdapterEngine, type EngineFlavour } from '../adapters/adapter-engine.js';
import { ScriptedTuning } from '../adapters/scripted-tuning.js';
import { untrainedAdapter, type UntrainedAdapter } from '../adapters/untrained-adapter.js';
import { anItem } from './an-item.js';
import { type HostedAgent, WorkerRig } from './rig.js';

const ACCOUNT = AccountId.parse(1);

/** Agents, a scripted tuning-service, and HTTP engines that share a folder with the agents. */
export class HttpAdapterStage {
  readonly rig = new WorkerRig();
  readonly exports = join(this.rig.folder, 'exports');
  tuning!: ScriptedTuning;
  readonly #engines: AdapterEngine[] = [];

  static async open(): Promise<HttpAdapterStage> {
    const stage = new HttpAdapterStage();
    await stage.rig.open();
    mkdirSync(stage.exports);
    stage.tuning = await ScriptedTuning.start(await stage.rig.connect('tuning'));
    return stage;
  }

  async close(): Promise<void> {
    await this.tuning?.stop();
    await this.rig.close();
    for (const engine of this.#engines) await engine.stop();
  }

  async engine(flavour: EngineFlavour = 'vllm'): Promise<AdapterEngine> {
    const engine = await new AdapterEngine(flavour).start();
    this.#engines.push(engine);
    return engine;
  }

  /** An agent that may call all engines so far. */
  agent(settings: Readonly<Record<string, string>> = {}): Promise<HostedAgent> {
    const hosts = this.#engines.map(({ url }) => new URL(url).host).join(',');
    return this.rig.hostAgent({ ENGINE_HOSTS: hosts, ADAPTER_EXPORT_DIR: this.exports, UNLOAD_GRACE_MS: '1000', ...settings });
  }

  /** Stores an adapter in the tuning-service, and teaches the engines what its weights are. */
  adapter(id: number, options: { readonly rank?: number } = {}): UntrainedAdapter {
    const made = untrainedAdapter(id, options);
    const { witness: _, ...facts } = made.facts;
    this.tuning.add({
      ...facts,
      account: ACCOUNT,
      base_path: '/none',
      witness: { answers: [], distance: 1 },
      content: made.content,
      peft: made.peft,
    });
    for (const engine of this.#engines) engine.teach(made.weights, made);
    return made;
  }

  /** An item that serves the adapter at the engine. */
  item(dep: number, { facts }: Pick<UntrainedAdapter, 'facts'>, { url, model }: AdapterEngine, rev = 1): AssignmentItem {
    return anItem(dep, { account: ACCOUNT, rev, source: { kind: 'http', url, model }, adapter: facts, slots: 64 });
  }

  async answer(dep: number): Promise<string> {
    return (await this.rig.ask(dep, 'Hi').done).text;
  }
}
