import { copyFileSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountId, type AssignmentItem } from '@slipway/contracts';
import type { LoraOptions } from '../adapters/lora-file.js';
import { ScriptedTuning } from '../adapters/scripted-tuning.js';
import { AdapterMaker, type WitnessedAdapter } from '../adapters/witnessed-adapter.js';
import { anItem } from './an-item.js';
import { MODEL, WorkerRig } from './rig.js';

const ACCOUNT = AccountId.parse(1);

/** A worker rig with a scripted tuning-service, and a base of its own that a test may change. */
export class AdapterStage {
  readonly #folder = mkdtempSync(join(tmpdir(), 'slipway-adapters-'));
  readonly rig = new WorkerRig();
  /** The base that adapters of this stage are made for. */
  readonly base = join(this.rig.folder, 'base.gguf');
  tuning!: ScriptedTuning;
  #maker!: AdapterMaker;

  static async open(): Promise<AdapterStage> {
    const stage = new AdapterStage();
    try {
      copyFileSync(MODEL, stage.base);
      await stage.rig.open();
      stage.tuning = await ScriptedTuning.start(await stage.rig.connect('tuning'));
      stage.#maker = await AdapterMaker.open(MODEL, stage.#folder);
      return stage;
    } catch (error) {
      await stage.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#maker?.close();
    await this.tuning?.stop();
    await this.rig.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Makes an adapter and stores it in the tuning-service. */
  async adapter(options: LoraOptions): Promise<WitnessedAdapter> {
    const made = await this.#maker.make(options);
    const { id, name, version, base_sha256, template_sha256, tokenizer_sha256 } = made.facts;
    const facts = { id, name, version, base_sha256, template_sha256, tokenizer_sha256, base_path: this.base };
    this.tuning.add({ ...facts, account: ACCOUNT, content: made.content, witness: { answers: [], distance: made.distance } });
    return made;
  }

  /** An item that serves the adapter on the stage's base. */
  item(dep: number, { facts }: Pick<WitnessedAdapter, 'facts'>, changes: Partial<AssignmentItem> = {}): AssignmentItem {
    return anItem(dep, { account: ACCOUNT, source: { kind: 'file', path: this.base }, adapter: facts, context: 256, ...changes });
  }

  /** Deployments that a runner has served so far. */
  served(): number[] {
    return [...new Set([...this.rig.runnerBeats.values()].map(({ beat }) => Number(beat.dep)))];
  }
}
