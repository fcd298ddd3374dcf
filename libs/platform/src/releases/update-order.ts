import { type Need, needsOf, type Role, unmetText } from '@slipway/contracts';
import { SLIPWAY_VERSION } from '../config/version.js';
import type { HeardReleases } from './releases.js';

/** What an `UpdateOrder` looks at. */
export interface UpdateOrderOptions {
  readonly role: Role;
  readonly heard: HeardReleases;
  /** Whether the NATS server refuses an exchange that every process of this release has. */
  readonly isRefused: () => boolean;
  /** Called once for each new reason. */
  readonly heldUp: (reason: string) => void;
  /** Own needs; those of the role unless given. */
  readonly needs?: readonly Need[];
}

const REFUSED = 'nats.conf is of an older release: write it with this one, reload NATS, then start this process again';

/**
 * Keeps a process from being ready that was started before what it needs. A process that was ready once stays so: a peer that goes
 * back to an older release does not take all others down with it. A peer that is away holds nothing up.
 */
export class UpdateOrder {
  #passed = false;
  #said: string | null = null;

  constructor(private readonly options: UpdateOrderOptions) {}

  /** True once the process was ready. */
  get passed(): boolean {
    return this.#passed;
  }

  /** What has to be updated first; null when nothing has. Ask only when the process is ready otherwise. */
  missing(): string | null {
    if (this.#passed) return null;
    const reason = this.options.isRefused() ? REFUSED : this.#unmet();
    if (reason === null) this.#passed = true;
    else if (reason !== this.#said) this.options.heldUp(reason);
    this.#said = reason;
    return reason;
  }

  #unmet(): string | null {
    const { role, heard, needs = needsOf(role) } = this.options;
    for (const need of needs) {
      const peer = heard.lowest(need.from);
      if (peer !== null && peer.level < need.level) return unmetText(need, peer, SLIPWAY_VERSION);
    }
    return null;
  }
}
