import type { TrainerFacts } from '@slipway/contracts';
import { TrainingFault } from '../../training-fault.js';
import { ProgramProcess } from '../program-process.js';
import type { Trainer, TrainerProcess, TrainerSink, TrainingRun } from '../trainer.js';
import { writeSpec } from '../write-spec.js';
import { EmbeddedInstall, type EmbeddedInstallOptions, platformRefusal } from './embedded-install.js';

const VERSION = '0.53.0';
const ARCHITECTURES = ['bitnet', 'gemma3', 'gemma4', 'qwen3', 'qwen35', 'qwen35moe'];
/** Measured: runtime and libraries; the mapped file, and weights that are packed anew; the optimizer keeps two numbers for each. */
const MEMORY = { bytes: 72 * 2 ** 20, per_base: 1.35, per_adapter_number: 16, activations: true };

/** Trains LoRA adapters on the CPU of this machine. Nothing but npm is needed to install it. */
export class EmbeddedTrainer implements Trainer {
  readonly name = 'embedded';
  readonly takesWeights = false;
  readonly #install: EmbeddedInstall;

  /** @param uid the user that it runs as where its worker is root; 0 = the worker's */
  constructor(
    options: EmbeddedInstallOptions,
    private readonly uid = 0,
  ) {
    this.#install = new EmbeddedInstall(options);
  }

  async probe(): Promise<TrainerFacts> {
    const installed = (await this.#install.find()) !== null;
    const refusal = platformRefusal();
    const detail =
      refusal ??
      (installed
        ? null
        : 'It is installed before its first job, by npm: about 180 MB on disk. `npx slipway trainers install embedded` does it now.');
    const facts = { version: VERSION, architectures: ARCHITECTURES, methods: ['sft'], pause: true, memory: MEMORY };
    return { name: this.name, installed: installed && refusal === null, usable: refusal === null, detail, ...facts };
  }

  async install(signal: AbortSignal): Promise<void> {
    await this.#install.ensure(signal);
  }

  async start(run: TrainingRun, sink: TrainerSink): Promise<TrainerProcess> {
    const installed = await this.#install.find();
    if (!installed) throw new TrainingFault('trainer_unavailable', 'The embedded trainer is not installed.');
    await writeSpec(run, { backends: installed.backends });
    const { folder, settings, limits = {} } = run;
    const { uid } = this;
    const command = { program: installed.bare, args: [installed.program], reads: [settings.base, installed.backends] };
    return new ProgramProcess({ ...command, folder, limits, uid }, sink);
  }
}
