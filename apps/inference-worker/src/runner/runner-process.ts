import { isServiceError } from '@slipway/contracts';
import { EngineLoadError } from '@slipway/engine';
import { createLogger } from '@slipway/platform';
import { describeFault } from '../serving/describe-fault.js';
import { makeProcessRunner, type ProcessRunner } from './process-runner.js';
import { LogRelay } from './log-relay.js';
import { guardAgainstHanging } from './orphan-guard.js';
import { AgentMessage, type Farewell, type RunnerMessage, type RunnerSetup } from './runner-messages.js';

const BEAT_MS = 1_000;
/** An agent that forks a runner and sends nothing is dead. */
const SETUP_WITHIN_MS = 10_000;

/**
 * One deployment's process, as its agent's child. It ends by itself in every case: told to drain,
 * signalled, unable to load, or left behind by an agent that died, whose running streams it still finishes. One that
 * hangs is killed by its agent, and after the agent's death by its own guard.
 */
export class RunnerProcess {
  readonly #loading = new AbortController();
  readonly #log = new LogRelay((lines, sent) => this.#send({ k: 'log', lines }, sent));
  #setup: RunnerSetup | undefined;
  #serving: ProcessRunner | undefined;
  #ending = false;

  constructor(
    private readonly parent: NodeJS.Process,
    private readonly exit: (code: number) => void,
  ) {}

  /** Serves until one of the endings; returns at once. */
  run(): void {
    const { parent } = this;
    const unasked = setTimeout(() => this.exit(1), SETUP_WITHIN_MS);
    parent.on('message', (raw) => {
      clearTimeout(unasked);
      this.#obey(raw);
    });
    // The agent died before this process could listen for it.
    if (!parent.connected) this.exit(0);
    const leave = (): void => void this.#end({ deadlineMs: this.#setup?.orphanDrainMs ?? 0, stopped: false });
    parent.on('disconnect', leave);
    // A terminal's Ctrl-C reaches the whole group: the agent's own drain follows.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) parent.on(signal, leave);
    // The agent reads it, and may be gone.
    parent.stderr.on('error', () => undefined);
    parent.on('uncaughtException', (error) => {
      createLogger('inference-runner', this.#setup?.logLevel ?? 'info', this.#log.write).fatal(
        { fault: describeFault(error) },
        'runner.fault',
      );
      this.#log.flush(() => this.exit(1));
    });
    setInterval(() => this.#send({ k: 'beat', figures: this.#serving?.runner.figures() ?? null }), BEAT_MS);
  }

  #obey(raw: unknown): void {
    const message = AgentMessage.safeParse(raw).data;
    if (message?.k === 'setup' && !this.#setup) {
      this.#setup = message.setup;
      guardAgainstHanging(message.setup);
      void this.#serve(message.setup);
    }
    if (message?.k === 'renew' && this.#setup?.identity) this.#setup.identity.jwt = message.jwt;
    if (message?.k === 'drain') void this.#end(message.farewell);
  }

  async #serve(setup: RunnerSetup): Promise<void> {
    try {
      this.#serving = await makeProcessRunner(setup, this.#log.write, (error) => this.#fail(error));
      void this.#serving.nats.closed().then(() => this.#cutOff());
      const progress = (value: number): void => this.#send({ k: 'progress', progress: value });
      const facts = await this.#serving.runner.start(progress, this.#loading.signal);
      this.#send({ k: 'ready', facts });
    } catch (error) {
      if (!this.#ending) this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (error instanceof EngineLoadError) this.#send({ k: 'failed', reason: error.reason, detail: error.message });
    else if (isServiceError(error)) this.#send({ k: 'failed', reason: 'engine_crashed', detail: error.message });
    else throw error;
    void this.#end({ deadlineMs: 0, stopped: false });
  }

  /** Refused credentials close a connection for good; a new process may find better ones. */
  #cutOff(): void {
    if (!this.#ending) throw new Error('The NATS connection was closed.');
  }

  async #end(farewell: Farewell): Promise<void> {
    const stopped = this.#serving?.runner.stop(farewell);
    // Told once more, only the nearer deadline counts.
    if (this.#ending) return;
    this.#ending = true;
    this.#send({ k: 'draining' });
    this.#loading.abort(new Error('The runner ends.'));
    await stopped;
    this.#send({ k: 'beat', figures: this.#serving?.runner.figures() ?? null });
    await this.#serving?.nats.drain();
    this.#log.flush(() => this.exit(0));
  }

  #send(message: RunnerMessage, sent: () => void = () => undefined): void {
    // What was logged before it comes before it.
    if (message.k !== 'log') this.#log.flush(() => undefined);
    // The agent may be gone at any moment; the disconnect says so, and a lost message changes nothing.
    if (this.parent.connected) this.parent.send?.(message, undefined, undefined, sent);
    else sent();
  }
}
