import { stat } from 'node:fs/promises';
import type { TrainerFacts } from '@slipway/contracts';
import { TrainingFault } from '../../training-fault.js';
import { ProgramProcess } from '../program-process.js';
import type { RunSettings, Trainer, TrainerProcess, TrainerSink, TrainingRun } from '../trainer.js';
import { writeSpec } from '../write-spec.js';
import { EmbeddedInstall, type EmbeddedInstallOptions, platformRefusal } from './embedded-install.js';

const VERSION = '0.53.0';
const ARCHITECTURES = ['bitnet', 'gemma3', 'gemma4', 'qwen3', 'qwen35', 'qwen35moe'];
/** The runtime and its libraries, measured. */
const RUNTIME_BYTES = 80 * 2 ** 20;
/** Activations of a token, in multiples of the base's bytes; measured with 64 and 256 tokens of the bundled model. */
const BASE_SHARE_PER_TOKEN = 1 / 24;

/** Trains LoRA adapters on the CPU of this machine. Nothing but npm is needed to install it. */
export class EmbeddedTrainer implements Trainer {
  readonly name = 'embedded';
  readonly takesWeights = false;
  readonly #install: EmbeddedInstall;

  constructor(options: EmbeddedInstallOptions) {
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
    const facts = { version: VERSION, architectures: ARCHITECTURES, methods: ['sft'], pause: true };
    return { name: this.name, installed: installed && refusal === null, usable: refusal === null, detail, ...facts };
  }

  async install(signal: AbortSignal): Promise<void> {
    await this.#install.ensure(signal);
  }

  async need({ base, tokens }: RunSettings): Promise<number> {
    const { size } = await stat(base);
    return RUNTIME_BYTES + Math.ceil(size * (1 + tokens * BASE_SHARE_PER_TOKEN));
  }

  async start(run: TrainingRun, sink: TrainerSink): Promise<TrainerProcess> {
    const installed = await this.#install.find();
    if (!installed) throw new TrainingFault('trainer_unavailable', 'The embedded trainer is not installed.');
    await writeSpec(run, { backends: installed.backends });
    return new ProgramProcess({ program: installed.bare, args: [installed.program], folder: run.folder }, sink);
  }
}
