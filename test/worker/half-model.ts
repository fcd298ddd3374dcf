import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { ModelHost, Serving } from './model-host.js';
import { type Agent, MODEL, type WorkerRig } from './rig.js';
import { until } from './until.js';

/** A part of the model; llama.cpp does not mind bytes behind its own. */
const PIECE = 5 * 1024 * 1024;
const HALF = 4 * PIECE;
const model = readFileSync(MODEL);

/** A model of eight pieces. */
export const BIG_MODEL = Buffer.concat([model, Buffer.alloc(2 * HALF - model.length)]);
export const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** Processes that this one started. */
export const childrenOf = (pid: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => {
      try {
        return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${child}/stat`, 'utf8'))?.[1]) === pid;
      } catch {
        return false;
      }
    });

/** Serves the big model up to its middle. */
export class HalfModel {
  #open = (): void => undefined;
  readonly #opened = new Promise<void>((resolve) => (this.#open = resolve));
  #cut = false;

  constructor(
    private readonly host: ModelHost,
    readonly path: string,
    serving: Serving,
  ) {
    const gate = async (offset: number): Promise<boolean> => {
      if (offset < HALF) return true;
      await this.#opened;
      return !this.#cut;
    };
    host.serve(path, BIG_MODEL, { ...serving, gate });
  }

  /** Lets everything through from now on. */
  open(): void {
    this.#open();
  }

  /** Breaks connections at the middle from now on, until it is mended. */
  cut(): void {
    this.#cut = true;
    this.#open();
  }

  mend(): void {
    this.#cut = false;
  }

  /** Waits until the first half has arrived. @returns the process that downloads. */
  async arrived(rig: WorkerRig, agent: Agent, dep: number): Promise<number> {
    // A download takes nine tenths of the progress that is shown.
    return until('half of the model is here', () => (rig.loadOf(agent, dep)?.progress ?? 0) >= 0.44 && childrenOf(agent.pid)[0]);
  }

  /** Whether at most two pieces of the first half were asked for again since `before` ranges. */
  resumedSince(before: number): boolean {
    return this.#askedAgain(before) <= 2 * PIECE;
  }

  /** Whether all of the first half was asked for again. */
  begunAnewSince(before: number): boolean {
    return this.#askedAgain(before) >= HALF;
  }

  /** Whether nothing of the first half was asked for. */
  onlySecondHalfSince(before: number): boolean {
    return this.#askedAgain(before) === 0;
  }

  #askedAgain(before: number): number {
    return this.host.ranges.slice(before).reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, HALF) - from), 0);
  }
}
