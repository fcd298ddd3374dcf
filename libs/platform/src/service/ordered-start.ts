import type { Logger } from '../log/logger.js';
import { roleOf } from '../nats/connect.js';
import { ProcessReporter, type ReporterOptions } from '../releases/process-reporter.js';
import { heardOn } from '../releases/releases.js';
import { UpdateOrder } from '../releases/update-order.js';
import { eachSecond } from '../time/each-second.js';

/** Tells operators of a process, and keeps it from being ready while what it needs is older. */
export class OrderedStart {
  readonly #reporter: ProcessReporter;
  readonly #order: UpdateOrder;
  readonly #endLooks: () => void;

  constructor(options: ReporterOptions & { readonly log: Logger }) {
    const { nats, notReady, log } = options;
    this.#reporter = new ProcessReporter(options);
    this.#order = new UpdateOrder({
      role: roleOf(nats),
      heard: heardOn(nats),
      isRefused: () => this.#reporter.refused,
      heldUp: (reason) => log.warn({ reason }, 'lifecycle.held_up'),
    });
    // Without probes it passes too: a process that serves stays ready, whatever its peers become.
    this.#endLooks = eachSecond(() => {
      notReady();
      if (this.#order.passed) this.#endLooks();
    });
  }

  /** Resolves once the server has decided whether the process has the permissions of its release. */
  start(): Promise<void> {
    return this.#reporter.decided();
  }

  /** What has to be updated first; see `UpdateOrder.missing`. */
  missing(): string | null {
    return this.#order.missing();
  }

  stop(): void {
    this.#endLooks();
    this.#reporter.stop();
  }
}
