import { readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import type { TrainerFacts } from '@slipway/contracts';
import { z } from 'zod';
import { TrainingFault } from '../training-fault.js';
import { ProgramProcess } from './program-process.js';
import type { Trainer, TrainerProcess, TrainerSink, TrainingRun } from './trainer.js';
import { writeSpec } from './write-spec.js';

const Manifest = z
  .object({
    name: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/),
    version: z.string().max(64),
    /** The program and its arguments. A path that begins with `./` is one beside the manifest. */
    command: z.array(z.string().min(1)).min(1),
    /** Architectures of bases that it trains, as GGUF names them. */
    architectures: z.array(z.string()).min(1),
    /** Which file of examples it reads: `train.jsonl` with text, or `train.tokens.jsonl` with tokens. */
    input: z.enum(['text', 'tokens']).default('text'),
    /** `dpo` needs tokens: only they say what of a rejected answer is scored. */
    methods: z
      .array(z.enum(['sft', 'dpo']))
      .min(1)
      .default(['sft']),
    pause: z.boolean().default(false),
    /** Whether it may reach the network, which trainings across processes need. */
    network: z.boolean().default(false),
    /** Memory of a run, in multiples of the base's bytes. */
    memory_per_base: z.number().positive().default(4),
  })
  .refine(({ input, methods }) => input === 'tokens' || !methods.includes('dpo'), 'the method "dpo" needs the input "tokens"');
type Manifest = z.infer<typeof Manifest>;

/** A trainer of the operator: any program that takes the folder of a run and reports on file descriptor 3. */
export class ProgramTrainer implements Trainer {
  readonly takesWeights = true;

  private constructor(
    private readonly manifest: Manifest,
    private readonly folder: string,
    private readonly uid: number,
  ) {}

  /**
   * @param uid the user that it runs as where its worker is root; 0 = the worker's
   * @throws TypeError for a file that is no manifest
   */
  static async read(path: string, uid = 0): Promise<ProgramTrainer> {
    const read = Manifest.safeParse(await readJson(path));
    if (!read.success) throw new TypeError(`${path} is no manifest of a trainer: ${z.prettifyError(read.error)}`);
    return new ProgramTrainer(read.data, dirname(resolve(path)), uid);
  }

  get input(): 'text' | 'tokens' {
    return this.manifest.input;
  }

  get name(): string {
    return this.manifest.name;
  }

  async probe(): Promise<TrainerFacts> {
    const { name, version, architectures, methods, pause, memory_per_base: perBase } = this.manifest;
    const memory = { bytes: 0, per_base: perBase, per_adapter_number: 0, activations: false };
    const detail = await this.install().then(
      () => null,
      (fault: unknown) => (fault instanceof TrainingFault ? fault.message : 'Its program cannot be found.'),
    );
    const facts = { version, architectures, methods, pause, memory };
    return { name, installed: detail === null, usable: detail === null, detail, ...facts };
  }

  /** The operator installed it: this looks whether its program is there. */
  async install(): Promise<void> {
    const [program = ''] = this.#command();
    if (!isAbsolute(program)) return;
    await stat(program).catch((cause: unknown) => {
      throw new TrainingFault('trainer_unavailable', `The program of the trainer ${this.name} is missing.`, {}, { cause });
    });
  }

  async start(run: TrainingRun, sink: TrainerSink): Promise<TrainerProcess> {
    await writeSpec(run);
    const [program = '', ...args] = this.#command();
    const { folder, settings, limits = {} } = run;
    const { uid } = this;
    return new ProgramProcess({ program, args, folder, network: this.manifest.network, limits, uid, reads: [settings.base] }, sink);
  }

  #command(): string[] {
    return this.manifest.command.map((word) => (word.startsWith('./') ? resolve(this.folder, word) : word));
  }
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as unknown;
  } catch (cause) {
    const why = cause instanceof SyntaxError ? `is not JSON: ${cause.message}` : 'cannot be read. Is the path right?';
    throw new TypeError(`${path} ${why}`, { cause });
  }
}
