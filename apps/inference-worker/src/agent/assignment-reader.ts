import { Assignment, type AssignmentItem, credentialBinding, type Incarnation } from '@slipway/contracts';
import { type BoxKey, PartCollector } from '@slipway/platform';
import type { TermFence } from './term-fence.js';

/** An item with its secret opened. */
export type OpenItem = Omit<AssignmentItem, 'sealed'>;

/** A whole assignment as the agent obeys it. */
export interface WholeAssignment {
  readonly items: readonly OpenItem[];
  /** Items whose secret is not for this agent, or was changed: they cannot run. */
  readonly unreadable: readonly AssignmentItem[];
  readonly stopped: Assignment['stopped'];
}

/** The series that is obeyed. */
export type Obeyed = { readonly term: number; readonly no: number };

export interface AssignmentReaderOptions {
  readonly wk: Incarnation;
  readonly key: BoxKey;
  readonly fence: TermFence;
}

/** Makes whole assignments of messages, and keeps those of overruled placers and older series out. */
export class AssignmentReader {
  readonly #parts = new PartCollector<Assignment>();
  #obeyed: Obeyed | null = null;

  constructor(private readonly options: AssignmentReaderOptions) {}

  /** The newest series that was whole; null before the first, and for a placer that numbers none. */
  get obeyed(): Obeyed | null {
    return this.#obeyed;
  }

  /**
   * @returns null where nothing is to be done: parts are missing, or it is from an overruled placer, or known already.
   * @throws TypeError for what is no assignment. The message holds nothing of it: a credential could be among it.
   */
  read(text: string): WholeAssignment | null {
    const message = parse(text);
    if (!message) throw new TypeError('This is no assignment.');
    const { term, part } = message;
    if (!part) return this.options.fence.admits(term) ? this.#take(null, message.items, message.stopped) : null;
    const behind = this.#obeyed?.term === term ? this.#obeyed.no - part.no : -1;
    // The repetition of what is obeyed says that its placer is still there.
    if (behind === 0 || part.of === 0) {
      this.options.fence.admits(term);
      return null;
    }
    const all = this.#parts.add(`${term}:${part.no}`, part, message);
    if (!all || !this.options.fence.admits(term) || behind > 0) return null;
    return this.#take(
      { term, no: part.no },
      all.flatMap(({ items }) => items),
      all.flatMap(({ stopped }) => stopped ?? []),
    );
  }

  #take(obeyed: Obeyed | null, items: readonly AssignmentItem[], stopped: Assignment['stopped']): WholeAssignment {
    this.#obeyed = obeyed;
    const read = items.map((item) => this.#open(item) ?? item);
    return {
      items: read.filter((item) => !('sealed' in item)),
      unreadable: read.filter((item): item is AssignmentItem => 'sealed' in item),
      stopped,
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
