import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import type { OnModuleDestroy } from '@nestjs/common';
import { eachSecond, type Logger } from '@slipway/platform';
import type { DeviceMemory } from './memory.js';

/** Seconds between two readings. */
const READ_SECONDS = 10;
/** Without a daemon that keeps it loaded the driver takes seconds to answer. */
const ANSWER_MS = 10_000;
const MIB = 2 ** 20;

/** Device files are the one sign of a GPU that needs no driver library. */
function countGpus(): number {
  try {
    return readdirSync('/dev').filter((name) => /^nvidia\d+$/.test(name)).length;
  } catch {
    return 0;
  }
}

/** Asks the driver of NVIDIA. CUDA_VISIBLE_DEVICES holds for it, too, as long as it names indices in PCI order or UUIDs. */
async function readMemory(environment: NodeJS.ProcessEnv): Promise<DeviceMemory> {
  const { CUDA_VISIBLE_DEVICES: visible } = environment;
  const args = ['--query-gpu=memory.total,memory.used', '--format=csv,noheader,nounits', ...(visible ? ['-i', visible] : [])];
  const { stdout } = await promisify(execFile)('nvidia-smi', args, { timeout: ANSWER_MS });
  const lines = stdout.trim().split('\n');
  const figures = lines.map((line) => line.split(',').map((figure) => Number(figure.trim()) * MIB));
  const sum = (at: number): number => figures.reduce((all, line) => all + (line[at] ?? Number.NaN), 0);
  const read = { total: sum(0), used: sum(1) };
  if (!Number.isFinite(read.total + read.used) || read.total <= 0) throw new Error(`unexpected answer: ${lines[0] ?? ''}`);
  return read;
}

/** The GPUs of this worker. */
export class Gpus implements OnModuleDestroy {
  #memory: DeviceMemory | null = null;
  #isKnown = true;
  #stop: () => void = () => undefined;

  private constructor(
    readonly count: number,
    private readonly environment: NodeJS.ProcessEnv,
    private readonly log: Logger,
  ) {}

  /** What they have together, at most some seconds ago; null where there are none, or their driver does not say. */
  get memory(): DeviceMemory | null {
    return this.#memory;
  }

  /**
   * Looks for GPUs, and watches their memory from then on.
   * @param wanted whether this worker may use any
   */
  static async find(wanted: boolean, environment: NodeJS.ProcessEnv, log: Logger): Promise<Gpus> {
    const gpus = new Gpus(wanted ? countGpus() : 0, environment, log);
    if (wanted) await gpus.#watch();
    return gpus;
  }

  onModuleDestroy(): void {
    this.#stop();
  }

  async #watch(): Promise<void> {
    await this.#read();
    if (this.#memory === null) return;
    let seconds = 0;
    this.#stop = eachSecond(() => {
      seconds += 1;
      if (seconds % READ_SECONDS === 0) void this.#read();
    });
  }

  async #read(): Promise<void> {
    try {
      this.#memory = await readMemory(this.environment);
      this.#isKnown = true;
    } catch (err) {
      // Once: the driver is asked every few seconds.
      if (this.#isKnown) this.log.warn({ err }, 'agent.gpu_memory_unknown');
      this.#isKnown = false;
    }
  }
}
