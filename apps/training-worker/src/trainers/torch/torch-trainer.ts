import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TrainerFacts } from '@slipway/contracts';
import { TrainingFault } from '../../training-fault.js';
import { ProgramProcess } from '../program-process.js';
import type { Trainer, TrainerProcess, TrainerSink, TrainingRun } from '../trainer.js';
import { writeSpec } from '../write-spec.js';
import { HfBases } from './hf-bases.js';
import { TORCH_SOURCES, TorchInstall } from './torch-install.js';

const VERSION = '2.15.0';
const ARCHITECTURES = ['qwen2', 'qwen3'];
/** Libraries; the base with 32 bits for each number, of a file with 8; adapter, gradient and what the optimizer keeps of them. */
const MEMORY = { bytes: 900 * 2 ** 20, per_base: 4.3, per_adapter_number: 16, activations: true };
/** What a process of a GPU takes of the machine: 1.4 to 1.7 GiB with bases of 1 and 8 billion parameters, which go to the GPU. */
const MEMORY_OF_A_GPU = 2 * 2 ** 30;
/** CUDA maps much more than it uses of the machine's memory; the worker looks at what is used. */
const RESERVED_BY_CUDA = 256 * 2 ** 30;
/** Share of the steps in which the rate rises. */
const WARMUP = 0.03;
const NOT_INSTALLED = 'It is installed on request, for it takes 5.8 GB: `npx slipway trainers install torch`.';

export interface TorchTrainerOptions {
  /** Folder of all installed trainers. */
  readonly folder: string;
  readonly threads: number;
  /** A Python that has the packages already; absent = one is installed. */
  readonly python?: string | undefined;
  /** A Ray cluster that trains; absent = this machine does. */
  readonly cluster?: { readonly address: string; readonly workers: number } | undefined;
  /** Processes on this machine; absent = one for each GPU, one without. */
  readonly processes?: number;
}

/** Trains with torch and PEFT: on the GPUs of this machine, on its CPU, or on a Ray cluster. Learns preferences, too. */
export class TorchTrainer implements Trainer {
  readonly name = 'torch';
  readonly takesWeights = true;
  readonly input = 'tokens';
  readonly #install: TorchInstall;
  readonly #bases: HfBases;

  /** @param uid the user that it runs as where its worker is root; 0 = the worker's */
  constructor(
    private readonly options: TorchTrainerOptions,
    private readonly uid = 0,
  ) {
    const { folder, python } = options;
    this.#install = new TorchInstall({ folder, python });
    this.#bases = new HfBases({ folder: join(folder, 'hf-bases'), converter: join(TORCH_SOURCES, 'convert.py') });
  }

  async probe(): Promise<TrainerFacts> {
    const { python } = this.options;
    const installed = (await this.#install.find()) !== null;
    const missing = python === undefined ? NOT_INSTALLED : `There is no program at TORCH_PYTHON (${python}).`;
    const cards = await gpus();
    const bytes = (this.options.processes ?? cards) * MEMORY_OF_A_GPU;
    const memory = cards === 0 ? MEMORY : { bytes, per_base: 0, per_adapter_number: 0, activations: false };
    const facts = { version: VERSION, architectures: ARCHITECTURES, methods: ['sft', 'dpo'], pause: true, memory };
    return { name: this.name, installed, usable: installed, detail: installed ? null : missing, ...facts };
  }

  async install(signal: AbortSignal, onProgress?: (what: string) => void): Promise<void> {
    await this.#install.ensure(signal, onProgress);
  }

  async start(run: TrainingRun, sink: TrainerSink): Promise<TrainerProcess> {
    const python = await this.#install.find();
    if (python === null) throw new TrainingFault('trainer_unavailable', NOT_INSTALLED);
    const { folder, settings, limits = {} } = run;
    const { threads, cluster, processes } = this.options;
    const hf = await this.#bases.folderOf(settings.base, python);
    await writeSpec(run, { hf, threads, warmup: WARMUP, ...(cluster && { cluster }), ...(processes !== undefined && { processes }) });
    const reads = [hf, join(dirname(python), '..'), join(TORCH_SOURCES, 'slipway_torch')];
    // Processes reach each other over a network, if only that of this machine, and the sockets of Ray are those of the worker's user.
    const cards = await gpus();
    const network = cluster !== undefined || (processes ?? cards) > 1;
    const command = { program: python, args: [join(TORCH_SOURCES, 'train.py')], reads, network, uid: cluster ? 0 : this.uid };
    const bounds = cards === 0 ? limits : { ...limits, reserved: RESERVED_BY_CUDA };
    return new ProgramProcess({ ...command, folder, limits: bounds }, sink);
  }
}

/** GPUs of NVIDIA that this machine shows. */
async function gpus(): Promise<number> {
  const devices = await readdir('/dev').catch(() => []);
  return devices.filter((name) => /^nvidia\d+$/.test(name)).length;
}
