import type { BASE_STATES, BaseView, Incarnation, TrainerBase, TrainerFacts, TrainerHeartbeat } from '@slipway/contracts';

/** A worker silent for so long is lost, in milliseconds. */
const LOST_MS = 15_000;

interface Entry {
  readonly heartbeat: TrainerHeartbeat;
  readonly at: number;
}

/** A base with the workers that have it. */
export interface KnownBase {
  readonly base: TrainerBase;
  readonly workers: readonly TrainerHeartbeat[];
}

/** Live training workers, by their heartbeats. Ages are measured by a monotonic clock. */
export class TrainerTable {
  readonly #entries = new Map<Incarnation, Entry>();
  #listeningSince: number | null = null;

  /** @param clock monotonic, in milliseconds */
  constructor(private readonly clock: () => number) {}

  connected(): void {
    this.#listeningSince ??= this.clock();
  }

  /** While no heartbeat can arrive, nobody is lost. */
  disconnected(): void {
    this.#listeningSince = null;
  }

  /** True once silence means that a worker is lost. */
  get canJudge(): boolean {
    return this.#listeningSince !== null && this.clock() - this.#listeningSince >= LOST_MS;
  }

  /** @returns true when the worker is new, or said something new that placement needs */
  report(heartbeat: TrainerHeartbeat): boolean {
    const former = this.#entries.get(heartbeat.tw);
    this.#entries.set(heartbeat.tw, { heartbeat, at: this.clock() });
    return former === undefined || digestOf(former.heartbeat) !== digestOf(heartbeat);
  }

  /** Live workers in the order of their names. Those that are silent are forgotten. */
  live(): TrainerHeartbeat[] {
    const now = this.clock();
    const isSilent = ({ at }: Entry): boolean => this.#listeningSince !== null && now - Math.max(at, this.#listeningSince) >= LOST_MS;
    for (const [tw, entry] of this.#entries) if (isSilent(entry)) this.#entries.delete(tw);
    return [...this.#entries.values()].map(({ heartbeat }) => heartbeat).toSorted((a, b) => (a.tw < b.tw ? -1 : 1));
  }

  /** Whether live workers have a base's very file. */
  stateOf({ base, sha256 }: Pick<TrainerBase, 'base' | 'sha256'>): (typeof BASE_STATES)[number] {
    const workers = this.live();
    const files = workers.flatMap(({ bases }) => bases);
    if (files.some((file) => file.sha256 === sha256)) return 'there';
    if (files.some((file) => file.base === base)) return 'changed';
    return workers.length === 0 ? 'unknown' : 'absent';
  }

  /** Bases of live workers by name. Where workers have different files of a name, that of the first one. */
  bases(): Map<string, KnownBase> {
    const found = new Map<string, { base: TrainerBase; workers: TrainerHeartbeat[] }>();
    for (const worker of this.live()) {
      for (const base of worker.bases) {
        const known = found.get(base.base) ?? { base, workers: [] };
        found.set(base.base, known);
        if (base.sha256 === known.base.sha256) known.workers.push(worker);
      }
    }
    return found;
  }
}

const digestOf = ({ slots, trainers, bases, draining, features, disk_free: disk }: TrainerHeartbeat): string =>
  JSON.stringify([
    slots.map(({ id, running }) => [id, running]),
    trainers,
    bases.map(({ base, sha256 }) => [base, sha256]),
    draining,
    features,
    disk > 2 ** 30,
  ]);

/** Whether a trainer is usable and takes the architecture with this method. */
export const canTrain = (trainer: TrainerFacts, base: TrainerBase, method = 'sft'): boolean =>
  trainer.usable && trainer.methods.includes(method) && takes(trainer, base);

const takes = ({ architectures }: TrainerFacts, { architecture }: TrainerBase): boolean =>
  architectures.includes(architecture) || architectures.includes('*');

/** Names of trainers that can train a base now. */
export const trainersOf = ({ base, workers }: KnownBase, method?: string): string[] => [
  ...new Set(workers.flatMap((worker) => worker.trainers.filter((one) => canTrain(one, base, method)).map(({ name }) => name))),
];

/** Why no connected worker can train a base, with what to do; null where one can. */
export function hindranceOf(known: KnownBase, method = 'sft'): { readonly isForEver: boolean; readonly detail: string } | null {
  if (trainersOf(known, method).length > 0) return null;
  const all = known.workers.flatMap(({ trainers }) => trainers);
  if (method === 'dpo' && !all.some(learnsBy(method))) return { isForEver: true, detail: NEEDS_DPO };
  const missing = all.find((one) => !one.usable && learnsBy(method)(one) && takes(one, known.base)) ?? all.find(({ usable }) => !usable);
  if (missing) return { isForEver: false, detail: missing.detail ?? `The trainer ${missing.name} is not installed.` };
  if (all.some(learnsBy(method)))
    return { isForEver: true, detail: `No connected trainer takes the architecture ${known.base.architecture}.` };
  return { isForEver: true, detail: 'No connected trainer can do this training.' };
}

/** Whether a trainer knows a method, also one that is not usable yet. */
export const learnsBy =
  (method: string) =>
  ({ methods }: TrainerFacts): boolean =>
    methods.includes(method);

/** What a job over preferences is refused with. */
const NEEDS_DPO =
  'This data set holds preferences, which need a trainer with the method "dpo", such as torch. No connected worker has one: the trainer embedded learns conversations ("sft"). Train on a data set of conversations, or start a newer worker.';

/** Why a trainer that was asked for cannot train by a method; null where it can, or no worker has it. */
export function refusalOf({ workers }: KnownBase, name: string, method: string): string | null {
  const known = workers.flatMap(({ trainers }) => trainers).filter((one) => one.name === name);
  if (known.length === 0 || known.some(learnsBy(method))) return null;
  const what = method === 'dpo' ? 'preferences' : 'conversations';
  return `The trainer ${name} does not learn ${what} (method "${method}").`;
}

/** A base as people see it. */
export const baseView = (known: KnownBase): BaseView => ({
  ...{ base: known.base.base, architecture: known.base.architecture, parameters: known.base.parameters, context: known.base.context },
  ...{ bytes: known.base.bytes, sha256: known.base.sha256, path: known.base.path },
  ...{ template_sha256: known.base.template_sha256, tokenizer_sha256: known.base.tokenizer_sha256 },
  trainers: trainersOf(known),
  detail: hindranceOf(known)?.detail ?? null,
  slots: known.workers.reduce((sum, { slots }) => sum + slots.length, 0),
});
