import { session } from '../session/session.js';
import { forgetTab, readTab, writeTab } from '../session/tab-memory.js';
import type { Exchange } from './exchange.js';
import type { Ask } from './request-body.js';
import { FIRST_SETTINGS, type Settings } from './settings.js';

/** A question and what came of it. */
export interface Turn {
  readonly id: number;
  readonly ask: Ask;
  readonly exchange: Exchange;
}

/** How answers are drawn. */
export type AnswerLook = 'markdown' | 'plain';

/** What the playground of one account shows. */
export interface Work {
  readonly settings: Settings;
  readonly look: AnswerLook;
  /** The conversations, side by side. */
  readonly lanes: readonly [readonly Turn[], readonly Turn[]];
}

/** A new one where the shape of `Work` changes: what an older release wrote is not read. */
const NAME = 'playground-1';
/** A change is written after so long at the latest, in milliseconds: an answer changes many times a second. */
const SAVE_AFTER_MS = 400;

const FIRST: Work = { settings: FIRST_SETTINGS, look: 'markdown', lanes: [[], []] };

interface Saved extends Work {
  readonly draft: string;
}

/** An answer that ran when the page was left does not run any more. */
const ended = (turn: Turn): Turn =>
  turn.exchange.status === 'running' ? { ...turn, exchange: { ...turn.exchange, status: 'stopped' } } : turn;

const withoutRaw = (turn: Turn): Turn => ({ ...turn, exchange: { ...turn.exchange, raw: '' } });

/** Keeps the playground of one account in this tab: leaving the screen and reloading the page lose nothing. */
export class Workspace {
  #state: Work;
  #draft: string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  #lastId = 0;
  readonly #listeners = new Set<() => void>();
  readonly #name: string;

  constructor(
    private readonly user: number,
    account: string,
  ) {
    this.#name = `${NAME}.${account}`;
    const saved = readTab(user, this.#name) as Saved | undefined;
    this.#draft = saved?.draft ?? '';
    this.#state = saved ? { ...saved, lanes: [saved.lanes[0].map(ended), saved.lanes[1].map(ended)] } : FIRST;
    if (typeof window !== 'undefined') window.addEventListener('pagehide', () => this.save());
  }

  get state(): Work {
    return this.#state;
  }

  /** @returns how to stop */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  change(patch: Partial<Work>): void {
    this.#state = { ...this.#state, ...patch };
    for (const listener of this.#listeners) listener();
    this.#saveSoon();
  }

  changeLane(at: 0 | 1, of: (turns: readonly Turn[]) => readonly Turn[]): void {
    const [one, other] = this.#state.lanes;
    this.change({ lanes: at === 0 ? [of(one), other] : [one, of(other)] });
  }

  /** A number that no turn has had. */
  nextId(): number {
    this.#lastId = 1 + Math.max(this.#lastId, ...this.#state.lanes.flat().map(({ id }) => id));
    return this.#lastId;
  }

  /** Empties both conversations. @returns brings them back, before whatever was asked since */
  beginAnew(): () => void {
    const [one, other] = this.#state.lanes;
    this.change({ lanes: [[], []] });
    return () => {
      const [since, besides] = this.#state.lanes;
      this.change({
        lanes: [
          [...one.map(ended), ...since],
          [...other.map(ended), ...besides],
        ],
      });
    };
  }

  /** The message that is being written. Its changes draw nothing anew. */
  get draft(): string {
    return this.#draft;
  }

  keepDraft(text: string): void {
    this.#draft = text;
    this.#saveSoon();
  }

  /** Writes nothing any more: its person has signed out, or the session has ended. */
  close(): void {
    this.save();
    this.#isClosed = true;
  }

  #saveSoon(): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => this.save(), SAVE_AFTER_MS);
  }

  /** Writes what is not written yet. Where the browser has no room, answers are kept without their raw bytes. */
  save(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [one, other] = this.#state.lanes;
    const saved: Saved = { ...this.#state, draft: this.#draft };
    if (writeTab(this.user, this.#name, saved)) return;
    writeTab(this.user, this.#name, { ...saved, lanes: [one.map(withoutRaw), other.map(withoutRaw)] });
  }
}

const workspaces = new Map<string, Workspace>();

session.subscribe(() => {
  if (session.state.kind !== 'out') return;
  for (const workspace of workspaces.values()) workspace.close();
  workspaces.clear();
  if (!session.state.ended) forgetTab();
});

/** The workspace of a person in an account; the same one each time. */
export function workspaceOf(user: number, account: string): Workspace {
  const key = `${user} ${account}`;
  const known = workspaces.get(key) ?? new Workspace(user, account);
  workspaces.set(key, known);
  return known;
}
