import { isServiceError } from '@slipway/contracts';
import { EngineLoadError } from '@slipway/engine';
import { createLogger, eachSecond, freeStartGarbage } from '@slipway/platform';
import { describeFault } from '../serving/describe-fault.js';
import { buildRunner, type ConnectedRunner } from './build-runner.js';
import { LogRelay } from './log-relay.js';
import { guardAgainstHanging } from './orphan-guard.js';
import { AgentMessage, type DrainOptions, type RunnerMessage, type RunnerSetup } from './runner-messages.js';

/** Time for the agent's settings; an agent that sends none is dead. */
const SETUP_WITHIN_MS = 10_000;

/**
 * The process of one replica, a child of its agent. It ends by itself after a drain, a signal, a failed load, and the death of its
 * agent; after that death it finishes its running streams first. A hung process is killed by its agent, and after the agent's
 * death by its own guard.
 */
export class RunnerProcess {
  readonly #loading = new AbortController();
  readonly #log = new LogRelay((lines, sent) => this.#send({ k: 'log', lines }, sent));
  #setup: RunnerSetup | undefined;
  #connected: ConnectedRunner | undefined;
  #ending = false;

  constructor(
    private readonly parent: NodeJS.Process,
    private readonly exit: (code: number) => void,
  ) {}

  /** Begins to serve, and returns at once. */
  run(): void {
    const { parent } = this;
    const withoutSetup = setTimeout(() => this.exit(1), SETUP_WITHIN_MS);
    parent.on('message', (raw) => {
      clearTimeout(withoutSetup);
      this.#receive(raw);
    });
    // The agent died before this process could listen for it.
    if (!parent.connected) this.exit(0);
    const leave = (): void => void this.#end({ deadlineMs: this.#setup?.orphanDrainMs ?? 0, stopped: false });
    parent.on('disconnect', leave);
    // Ctrl-C in a terminal signals the whole process group; the agent's own drain follows.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) parent.on(signal, leave);
    // The agent reads stderr, and may have ended.
    parent.stderr.on('error', () => undefined);
    parent.on('uncaughtException', (error) => {
      createLogger('inference-runner', this.#setup?.logLevel ?? 'info', this.#log.write).fatal(
        { fault: describeFault(error) },
        'runner.fault',
      );
      this.#log.flush(() => this.exit(1));
    });
    eachSecond(() => this.#send({ k: 'heartbeat', figures: this.#connected?.runner.figures() ?? null }));
  }

  #receive(raw: unknown): void {
    const message = AgentMessage.safeParse(raw).data;
    if (message?.k === 'setup' && !this.#setup) {
      this.#setup = message.setup;
      guardAgainstHanging(message.setup);
      void this.#serve(message.setup);
    }
    if (message?.k === 'renew' && this.#setup?.identity) this.#setup.identity.jwt = message.jwt;
    if (message?.k === 'drain') void this.#end(message.options);
  }

  async #serve(setup: RunnerSetup): Promise<void> {
    try {
      this.#connected = await buildRunner(setup, this.#log.write, (error) => this.#fail(error));
      void this.#connected.nats.closed().then(() => this.#cutOff());
      const progress = (value: number): void => this.#send({ k: 'progress', progress: value });
      const facts = await this.#connected.runner.start(progress, this.#loading.signal);
      this.#send({ k: 'ready', facts });
      freeStartGarbage();
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

  /** Refused credentials close a connection for good; a new process gets new ones. */
  #cutOff(): void {
    if (!this.#ending) throw new Error('The NATS connection was closed.');
  }

  async #end(options: DrainOptions): Promise<void> {
    const stopped = this.#connected?.runner.stop(options);
    // A repeated drain only moves the deadline forward.
    if (this.#ending) return;
    this.#ending = true;
    this.#send({ k: 'draining' });
    this.#loading.abort(new Error('The runner ends.'));
    await stopped;
    this.#send({ k: 'heartbeat', figures: this.#connected?.runner.figures() ?? null });
    await this.#connected?.nats.drain();
    this.#log.flush(() => this.exit(0));
  }

  #send(message: RunnerMessage, sent: () => void = () => undefined): void {
    // Keeps the order of log lines and messages.
    if (message.k !== 'log') this.#log.flush(() => undefined);
    // The agent may end at any moment. The `disconnect` event reports that, so a lost message does no harm.
    if (this.parent.connected) this.parent.send?.(message, undefined, undefined, sent);
    else sent();
  }
}
