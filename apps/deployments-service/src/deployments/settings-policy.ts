import { engineOf, ServiceError } from '@slipway/contracts';
import type { AgentTable } from '../agents/agent-table.js';

/** What the operator allows and presets. */
export interface SettingsPolicyOptions {
  /** Requests that one replica of a model serves at once, where its engine kind has no default of its own. */
  readonly defaultSlots: number;
  /** Upper bounds of what an owner may ask for. */
  readonly max: {
    /** Null: the number of processors of the largest connected worker. */
    readonly threads: number | null;
    readonly slots: number;
    readonly context: number;
    readonly replicas: number;
  };
}

/** A source as far as its engine goes. */
type EngineBound = Parameters<typeof engineOf>[0];

type BoundedSettings = { readonly threads: number | null; readonly slots: number; readonly context: number | null };

const tooMuch = (param: string, max: number, unit = ' here'): ServiceError =>
  new ServiceError('invalid_request', `${param} is at most ${max}${unit}.`, { param });

/** The operator's defaults and upper bounds for the settings of deployments. */
export class SettingsPolicy {
  readonly #options: SettingsPolicyOptions;
  readonly #agents: Pick<AgentTable, 'live'>;

  constructor(options: SettingsPolicyOptions, agents: Pick<AgentTable, 'live'>) {
    this.#options = options;
    this.#agents = agents;
  }

  /** Slots of a deployment whose owner names none, within the operator's bound. */
  defaultSlots(source: EngineBound): number {
    return Math.min(this.#options.max.slots, engineOf(source).slots ?? this.#options.defaultSlots);
  }

  /** Replicas of a deployment whose owner names none, within the operator's bound. */
  defaultReplicas(source: EngineBound): number {
    return Math.min(this.#options.max.replicas, engineOf(source).replicas);
  }

  /** The upper bounds. `threads`: null while none is set and no worker is connected. */
  bounds(): { threads: number | null; slots: number; context: number; replicas: number } {
    const { threads, ...max } = this.#options.max;
    const largest = this.#largestWorker();
    return { ...max, threads: threads ?? (Number.isFinite(largest) ? largest : null) };
  }

  /**
   * Checks settings against the bounds.
   * @param before settings of the revision that is replaced: a value that does not change passes even if it is above a bound
   * @throws ServiceError `invalid_request` that names the setting and its bound
   */
  check(settings: BoundedSettings, before?: BoundedSettings): void {
    const isAbove = (setting: keyof BoundedSettings, max: number): boolean =>
      settings[setting] !== before?.[setting] && (settings[setting] ?? 0) > max;
    const { threads, slots, context } = this.#options.max;
    const maxThreads = threads ?? this.#largestWorker();
    if (isAbove('threads', maxThreads)) {
      throw tooMuch('threads', maxThreads, threads === null ? ', the processors of the largest worker' : undefined);
    }
    if (isAbove('slots', slots)) throw tooMuch('slots', slots);
    if (isAbove('context', context)) throw tooMuch('context', context, ' tokens here');
  }

  /** @throws ServiceError `invalid_request` above the bound */
  checkReplicas(replicas: number): void {
    if (replicas > this.#options.max.replicas) throw tooMuch('replicas', this.#options.max.replicas);
  }

  /** Processors of the largest connected worker; infinite while none is connected, since agents bound threads as well. */
  #largestWorker(): number {
    const processors = this.#agents.live().map(({ cpu }) => cpu);
    return processors.length > 0 ? Math.max(...processors) : Infinity;
  }
}
