import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapterOf, TrainingStage } from '../../training/training-stage.js';
import { TORCH_PYTHON, torchMissing, torchTrainer } from '../torch-stage.js';

/** Nodes of a Ray cluster on this machine, each with one CPU, reachable from it alone. */
class RayNodes {
  // Ray puts sockets below, whose paths may have 107 characters.
  readonly #folder = mkdtempSync(join(tmpdir(), 'ray-'));
  readonly #nodes: ChildProcess[] = [];

  private constructor(readonly address: string) {}

  static async start(): Promise<RayNodes> {
    const [port = 0] = await freePorts(1);
    const nodes = new RayNodes(`127.0.0.1:${port}`);
    await nodes.#add('--head', `--port=${port}`, '--include-dashboard=false', `--temp-dir=${nodes.#folder}`);
    await nodes.#add(`--address=${nodes.address}`);
    return nodes;
  }

  async #add(...args: string[]): Promise<void> {
    // The program `ray` names the folder in which it was installed, and the trainer's packages are moved afterwards.
    const ray = ['-m', 'ray.scripts.scripts', 'start'];
    const common = ['--node-ip-address=127.0.0.1', '--num-cpus=1', '--object-store-memory=100000000', '--disable-usage-stats', '--block'];
    // Ports that the system chooses: those that Ray would choose itself are the same on both nodes.
    common.push('--min-worker-port=0', '--max-worker-port=0');
    const node = spawn(TORCH_PYTHON ?? '', [...ray, ...args, ...common], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#nodes.push(node);
    let said = '';
    await new Promise<void>((resolve, reject) => {
      const read = (text: Buffer): void => {
        said += text.toString();
        if (said.includes('Ray runtime started')) resolve();
      };
      node.stdout?.on('data', read);
      node.stderr?.on('data', read);
      node.once('error', reject);
      node.once('exit', () => reject(new Error(`The node ended: ${said.slice(-2_000)}`)));
    });
  }

  /** Ends the second node with all that runs on it, as a machine that is switched off. */
  lose(): void {
    kill(this.#nodes[1]);
  }

  async close(): Promise<void> {
    const running = this.#nodes.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const ended = running.map((node) => once(node, 'exit'));
    for (const node of this.#nodes) kill(node);
    await Promise.all(ended);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function kill({ pid }: ChildProcess = {} as ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

describe.skipIf(torchMissing() !== null)('a training on a Ray cluster', { timeout: 900_000 }, () => {
  let stage: TrainingStage;
  let nodes: RayNodes;
  beforeAll(async () => {
    stage = await TrainingStage.open();
    nodes = await RayNodes.start();
  }, 900_000);
  afterAll(async () => {
    await nodes?.close();
    stage.close();
  });

  it('ends in one adapter when a node is lost in the middle', async () => {
    const trainer = torchTrainer(stage.folder, { cluster: { address: nodes.address, workers: 2 } });
    let isLost = false;
    const settings = { rate: 1e-3, epochs: 6, batch: 2 };
    const { outcome, record } = await stage.run(stage.job(trainer, { settings }), (seen) => {
      seen.onStep = (step) => {
        if (step < 40 || isLost) return;
        isLost = true;
        nodes.lose();
      };
    });
    adapterOf(outcome);
    expect(record.lines).toContain('2 processes on 2 nodes');
    expect(record.lines).toContain('1 processes on 1 nodes');
    const steps = record.points.filter(({ loss }) => loss !== null).map(({ step }) => step);
    const again = steps.findIndex((step, i) => step <= (steps[i - 1] ?? 0));
    expect(again).toBeGreaterThan(0);
    // It goes on behind a checkpoint, and no step is missing.
    expect(record.stored.map(({ step }) => step + 1)).toContain(steps[again]);
    expect([...new Set(steps)].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 90 }, (_, i) => i + 1));
  });
});
