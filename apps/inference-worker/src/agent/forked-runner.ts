import { EngineLoadError } from '@slipway/engine';
import {
  type DrainOptions,
  LEAVE_WITHIN_MS,
  type RunnerFigures,
  type RunnerHandle,
  type RunnerListener,
  type RunnerMessage,
  type RunnerSetup,
} from '../runner/runner-messages.js';
import type { ItemLog } from './log-book.js';
import type { ChildRunner, RunnerChild } from './runner-child.js';

/** Time after a drain's deadline to free the engine and exit, in milliseconds. */
const EXIT_WITHIN_MS = 1_500;

export interface ForkedRunnerOptions {
  readonly child: RunnerChild;
  readonly setup: RunnerSetup;
  readonly listener: RunnerListener;
  readonly log: ItemLog;
}

/** A runner in a child process. */
export class ForkedRunner implements RunnerHandle, ChildRunner {
  /** Resolves when the process has ended, or the runner has left it. */
  readonly ended: Promise<void>;
  #resolveEnded: () => void = () => undefined;
  /** Asked to stop, or its end is reported already. */
  #settled = false;
  #hasEnded = false;
  #killTimer: NodeJS.Timeout | undefined;

  constructor(private readonly options: ForkedRunnerOptions) {
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    options.child.take(this, options.setup);
  }

  get pid(): number {
    return this.options.child.pid;
  }

  get log(): ItemLog {
    return this.options.log;
  }

  get settled(): boolean {
    return this.#settled;
  }

  async stop(options: DrainOptions): Promise<void> {
    this.#settled = true;
    const { child, setup } = this.options;
    child.send({ k: 'drain', wk: setup.wk, options });
    // The kill of a shared process ends the streams of others.
    this.#killAfter(options.deadlineMs + (child.isShared(this) ? LEAVE_WITHIN_MS : EXIT_WITHIN_MS));
    await this.ended;
  }

  /** Sends the runner a renewed JWT of its name. */
  renew(jwt: string): void {
    const { child, setup } = this.options;
    child.send({ k: 'renew', wk: setup.wk, jwt });
  }

  report(figures: RunnerFigures): void {
    this.options.listener.figures(figures);
  }

  receive(message: Exclude<RunnerMessage, { k: 'heartbeat' }>): void {
    const { listener, log, setup } = this.options;
    if (message.k === 'log') for (const line of message.lines) log.logged(line);
    if (message.k === 'left') this.#end();
    if (this.#settled) return;
    if (message.k === 'progress') listener.progress(message.progress);
    if (message.k === 'ready') listener.ready(message.facts);
    if (message.k === 'draining') {
      this.#killAfter(setup.orphanDrainMs + LEAVE_WITHIN_MS);
      this.#report(false, 'The runner drained without a request of its agent.');
    }
    if (message.k === 'failed') {
      this.#settled = true;
      this.#killAfter(LEAVE_WITHIN_MS);
      listener.failed(new EngineLoadError(message.reason, message.detail));
    }
  }

  lost(detail: string): void {
    this.#report(true, detail);
    this.#end();
  }

  /** A later call replaces the time of an earlier one. */
  #killAfter(ms: number): void {
    clearTimeout(this.#killTimer);
    if (!this.#hasEnded) this.#killTimer = setTimeout(() => this.options.child.kill(), ms);
  }

  #end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#killTimer);
    this.#resolveEnded();
  }

  #report(crash: boolean, detail: string): void {
    if (this.#settled) return;
    this.#settled = true;
    this.options.listener.gone({ crash, detail, over: this.ended });
  }
}
