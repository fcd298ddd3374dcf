import { eachSecond, freeStartGarbage } from '@slipway/platform';
import { HostedRunner } from './hosted-runner.js';
import { guardAgainstHanging } from './orphan-guard.js';
import { AgentMessage, type RunnerMessage, type RunnerSetup } from './runner-messages.js';

/** Time for the agent's settings; an agent that sends none is dead. */
const SETUP_WITHIN_MS = 10_000;

/**
 * The process of one replica, or of several that serve adapters of one base; a child of its agent. It ends by itself after the drain
 * of its last runner, a signal, a failed load, and the death of its agent; after that death it finishes its running streams first.
 * A hung process is killed by its agent, and after the agent's death by its own guard.
 */
export class RunnerProcess {
  readonly #runners = new Map<string, HostedRunner>();
  /** The first one, whose settings of the process hold. */
  #setup: RunnerSetup | undefined;
  #leaving = false;

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
    const leave = (): void => this.#leave();
    parent.on('disconnect', leave);
    // Ctrl-C in a terminal signals the whole process group; the agent's own drain follows.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) parent.on(signal, leave);
    // The agent reads stderr, and may have ended.
    parent.stderr.on('error', () => undefined);
    parent.on('uncaughtException', (error) => this.#crash(error));
    eachSecond(() => {
      const runners = [...this.#runners.values()].flatMap(({ wk, figures }) => (figures ? [{ wk, figures }] : []));
      this.#send({ k: 'heartbeat', runners });
    });
  }

  #receive(raw: unknown): void {
    const message = AgentMessage.safeParse(raw).data;
    if (message?.k === 'setup') this.#add(message.setup);
    if (message?.k === 'log level') for (const runner of this.#runners.values()) runner.setLogLevel(message.level);
    if (message?.k === 'renew') this.#runners.get(message.wk)?.renew(message.jwt);
    if (message?.k === 'drain') void this.#runners.get(message.wk)?.end(message.options);
  }

  #add(setup: RunnerSetup): void {
    if (this.#leaving || this.#runners.has(setup.wk)) return;
    const isFirst = this.#setup === undefined;
    if (isFirst) guardAgainstHanging(setup);
    this.#setup ??= setup;
    const runner: HostedRunner = new HostedRunner({
      setup,
      isFirst,
      isAlone: () => this.#runners.size === 1,
      send: (message, sent) => this.#send(message, sent),
      ready: () => {
        // Loading leaves garbage: it is freed once for all runners that load at the same time.
        if ([...this.#runners.values()].every(({ figures }) => figures !== null)) freeStartGarbage();
      },
      left: () => this.#remove(setup.wk),
    });
    this.#runners.set(setup.wk, runner);
    runner.start();
  }

  #remove(wk: string): void {
    this.#runners.delete(wk);
    if (this.#runners.size === 0) this.exit(0);
    else this.#send({ k: 'left', wk });
  }

  #leave(): void {
    this.#leaving = true;
    if (this.#runners.size === 0) this.exit(0);
    const options = { deadlineMs: this.#setup?.orphanDrainMs ?? 0, stopped: false };
    for (const runner of this.#runners.values()) void runner.end(options);
  }

  #crash(error: unknown): void {
    const runners = [...this.#runners.values()];
    let unsent = runners.length;
    if (unsent === 0) this.exit(1);
    for (const runner of runners) {
      runner.logFault(error, () => {
        unsent -= 1;
        if (unsent === 0) this.exit(1);
      });
    }
  }

  #send(message: RunnerMessage, sent: () => void = () => undefined): void {
    // The agent may end at any moment. The `disconnect` event reports that, so a lost message does no harm.
    if (this.parent.connected) this.parent.send?.(message, undefined, undefined, sent);
    else sent();
  }
}
