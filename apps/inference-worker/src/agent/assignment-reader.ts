import { Assignment, type AssignmentItem, credentialBinding, type Incarnation } from '@slipway/contracts';
import { type BoxKey, PartCollector } from '@slipway/platform';

/** Least time without a message of the highest term before a lower one is admitted, in ticks of one second. */
const FORGET_AFTER_TICKS = 30;

/**
 * Rejects assignments of an overruled placer. A placer repeats its assignment every 2 s. A long silence of the highest term means
 * that the placer's database was restored from a backup and numbers terms from a lower one again. Counts ticks instead of time:
 * while this process was frozen, it received nothing.
 */
export class TermFence {
  #highest = 0;
  #silentTicks = 0;

  /** Call each second. */
  tick(): void {
    this.#silentTicks += 1;
  }

  /** Whether an assignment of this term may be applied. */
  admits(term: number): boolean {
    if (term < this.#highest && this.#silentTicks < FORGET_AFTER_TICKS) return false;
    this.#highest = term;
    this.#silentTicks = 0;
    return true;
  }
}

/** An item with its secret opened. */
export type OpenItem = Omit<AssignmentItem, 'sealed'>;

/** A whole assignment, ready to be applied. */
export interface WholeAssignment {
  readonly items: readonly OpenItem[];
  /** Items whose secret this agent cannot open: it was sealed for another agent, or was changed. They cannot run. */
  readonly unreadable: readonly AssignmentItem[];
  readonly stopped: Assignment['stopped'];
  readonly leaving: NonNullable<Assignment['leaving']>;
}

/** Number of an assignment, and the term of the placer that sent it. */
export type AssignmentVersion = { readonly term: number; readonly no: number };

export interface AssignmentReaderOptions {
  readonly wk: Incarnation;
  readonly key: BoxKey;
  readonly fence: TermFence;
}

/** Assembles assignments from messages, and drops those of overruled placers and those older than the applied one. */
export class AssignmentReader {
  readonly #parts = new PartCollector<Assignment>();
  #applied: AssignmentVersion | null = null;

  constructor(private readonly options: AssignmentReaderOptions) {}

  /** The newest complete assignment; null before the first, and for a placer that numbers none. */
  get applied(): AssignmentVersion | null {
    return this.#applied;
  }

  /**
   * @returns null where there is nothing to apply: parts are missing, its placer is overruled, or it was applied before.
   * @throws TypeError for a malformed assignment. The error quotes nothing of it, since it may contain a credential.
   */
  read(text: string): WholeAssignment | null {
    const message = parse(text);
    if (!message) throw new TypeError('The assignment is malformed.');
    const { term, part } = message;
    if (!part) return this.options.fence.admits(term) ? this.#take(null, message) : null;
    const behind = this.#applied?.term === term ? this.#applied.no - part.no : -1;
    // A repetition shows that its placer is still in office.
    if (behind === 0 || part.of === 0) {
      this.options.fence.admits(term);
      return null;
    }
    const all = this.#parts.add(`${term}:${part.no}`, part, message);
    if (!all || !this.options.fence.admits(term) || behind > 0) return null;
    return this.#take(
      { term, no: part.no },
      {
        items: all.flatMap(({ items }) => items),
        stopped: all.flatMap(({ stopped }) => stopped ?? []),
        leaving: all.flatMap(({ leaving }) => leaving ?? []),
      },
    );
  }

  #take(applied: AssignmentVersion | null, { items, stopped, leaving = [] }: Omit<Assignment, 'term' | 'part'>): WholeAssignment {
    this.#applied = applied;
    const read = items.map((item) => this.#open(item) ?? item);
    return {
      items: read.filter((item) => !('sealed' in item)),
      unreadable: read.filter((item): item is AssignmentItem => 'sealed' in item),
      stopped,
      leaving,
    };
  }

  /** Null when the secret cannot be read. */
  #open({ sealed, ...item }: AssignmentItem): OpenItem | null {
    if (sealed === undefined) return item;
    try {
      return { ...item, credential: this.options.key.open(sealed, credentialBinding({ ...item, wk: this.options.wk })) };
    } catch {
      return null;
    }
  }
}

function parse(text: string): Assignment | null {
  try {
    return Assignment.message.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
