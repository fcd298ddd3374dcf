import { isServiceError, type LogLevel } from '@slipway/contracts';
import { EngineLoadError } from '@slipway/engine';
import { createLogger, type Logger, LogThreshold } from '@slipway/platform';
import { describeFault } from '../serving/stream-log.js';
import { buildRunner, type ConnectedRunner } from './build-runner.js';
import { LogRelay } from './log-relay.js';
import type { DrainOptions, RunnerFigures, RunnerMessage, RunnerSetup } from './runner-messages.js';

export interface HostedRunnerOptions {
  readonly setup: RunnerSetup;
  /** Whether this process becomes the runner's user: once, for its first runner. */
  readonly isFirst: boolean;
  /** Whether no other runner is in this process: then it may end with this one. */
  readonly isAlone: () => boolean;
  readonly send: (message: RunnerMessage, sent: () => void) => void;
  /** Called when the runner takes starts. */
  readonly ready: () => void;
  /** Called when the runner has ended and all it had to say is sent. */
  readonly left: () => void;
}

/** A runner of this process: its engine, its NATS connection and its log. Those with adapters of one base share a process. */
export class HostedRunner {
  readonly #loading = new AbortController();
  readonly #log: LogRelay;
  readonly #threshold: LogThreshold;
  #connected: ConnectedRunner | undefined;
  #serving: Promise<void> = Promise.resolve();
  #ending = false;

  constructor(private readonly options: HostedRunnerOptions) {
    this.#threshold = new LogThreshold(options.setup.logLevel);
    this.#log = new LogRelay((lines, sent) => this.#send({ k: 'log', wk: this.wk, lines }, sent));
  }

  get wk(): string {
    return this.options.setup.wk;
  }

  /** Null before the engine is loaded. */
  get figures(): RunnerFigures | null {
    return this.#connected?.runner.figures() ?? null;
  }

  /** Begins to serve, and returns at once. */
  start(): void {
    this.#serving = this.#serve();
  }

  /** A renewed JWT of the runner's name, for its next reconnect. */
  renew(jwt: string): void {
    const { identity } = this.options.setup;
    if (identity) identity.jwt = jwt;
  }

  /** Its agent announces the change. */
  setLogLevel(level: LogLevel): void {
    this.#threshold.change(level, () => undefined);
  }

  /** Logs why the process ends. @param done is called when the line has left */
  logFault(error: unknown, done: () => void): void {
    this.#createLog().fatal({ fault: describeFault(error) }, 'runner.fault');
    this.#log.flush(done);
  }

  #createLog(): Logger {
    return createLogger('inference-runner', this.#threshold, this.#log.write);
  }

  /** Takes nothing new, and finishes what runs within the time. A repeated call only moves the deadline forward. */
  async end(options: DrainOptions): Promise<void> {
    const stopped = this.#connected?.runner.stop(options);
    if (this.#ending) return;
    this.#ending = true;
    this.#send({ k: 'draining', wk: this.wk });
    this.#loading.abort(new Error('The runner ends.'));
    await stopped;
    // Its memory is freed with the process; another runner of the process needs it back now.
    if (!this.options.isAlone()) {
      await this.#serving;
      await this.#connected?.runner.stop(options);
    }
    if (this.figures) this.#send({ k: 'heartbeat', runners: [{ wk: this.wk, figures: this.figures }] });
    await this.#connected?.nats.drain();
    this.#log.flush(this.options.left);
  }

  async #serve(): Promise<void> {
    const { setup, isFirst } = this.options;
    try {
      this.#connected = await buildRunner(setup, isFirst, this.#createLog(), (error) => this.#fail(error));
      void this.#connected.nats.closed().then(() => this.#cutOff());
      const progress = (value: number): void => this.#send({ k: 'progress', wk: this.wk, progress: value });
      const facts = await this.#connected.runner.start(progress, this.#loading.signal);
      this.#send({ k: 'ready', wk: this.wk, facts });
      this.options.ready();
    } catch (error) {
      if (!this.#ending) this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (error instanceof EngineLoadError) this.#send({ k: 'failed', wk: this.wk, reason: error.reason, detail: error.message });
    else if (isServiceError(error)) this.#send({ k: 'failed', wk: this.wk, reason: 'engine_crashed', detail: error.message });
    else throw error;
    void this.end({ deadlineMs: 0, stopped: false });
  }

  /** Refused credentials close a connection for good; the next runner gets new ones. */
  #cutOff(): void {
    if (this.#ending) return;
    if (this.options.isAlone()) throw new Error('The NATS connection was closed.');
    this.#fail(new EngineLoadError('engine_crashed', 'The NATS connection of the runner was closed.'));
  }

  #send(message: RunnerMessage, sent: () => void = () => undefined): void {
    // Keeps the order of log lines and messages.
    if (message.k !== 'log') this.#log.flush(() => undefined);
    this.options.send(message, sent);
  }
}
