import type { MemberRole } from '@slipway/contracts';
import { codeOf, ConsoleError } from '../api/console-error.js';
import { forJson, open, type Question, send } from '../api/send.js';
import { withAttempt } from './refresh-attempt.js';
import { forgetTab } from './tab-memory.js';

/** A token is renewed so long before it ends, in milliseconds: clocks differ. */
const RENEW_BEFORE_MS = 45_000;
/** A refresh without an answer is repeated so long after, in milliseconds. */
const AGAIN_AFTER_MS = [200, 800, 2_000];
/** What a refresh answers to an account that is not the person's, or is none. */
const NO_SUCH_ACCOUNT = ['not_permitted', 'invalid_request'];

export interface WorkingAccount {
  readonly id: number;
  readonly slug: string;
  readonly role: MemberRole;
}

/** What every way to sign in answers. */
export interface SessionAnswer {
  readonly access_token: string;
  readonly expires_at: string;
  readonly user: number;
  readonly account: WorkingAccount;
}

export type SessionState =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'out'; readonly ended: boolean }
  | { readonly kind: 'in'; readonly user: number; readonly account: WorkingAccount };

/**
 * The session of this page. Its token lives in memory alone; a reload gets another one by the cookie, which no script reads.
 */
export class Session {
  #token: { readonly value: string; readonly renewAt: number } | null = null;
  #state: SessionState = { kind: 'unknown' };
  #renewing: Promise<string> | null = null;
  /** The account that the address named when the page was opened. */
  #wanted: string | undefined;
  readonly #listeners = new Set<() => void>();

  get state(): SessionState {
    return this.#state;
  }

  /** @returns how to stop */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /**
   * Finds out whether the cookie still opens a session. Once signed in or out it stays so.
   * @param account in which to work, where its person belongs to it
   * @throws ConsoleError when the console cannot say
   */
  async resume(account?: string): Promise<SessionState> {
    if (this.#state.kind !== 'unknown') return this.#state;
    this.#wanted = account;
    await this.#renew()
      .catch((error: unknown) => {
        if (!NO_SUCH_ACCOUNT.includes(codeOf(error)) || account === undefined) throw error;
        this.#wanted = undefined;
        return this.#renew();
      })
      .catch(ignoreEnd);
    return this.#state;
  }

  /** Takes what a way to sign in answered. */
  begin({ access_token: value, expires_at: expiresAt, user, account }: SessionAnswer): void {
    this.#token = { value, renewAt: Date.parse(expiresAt) - RENEW_BEFORE_MS };
    this.#become({ kind: 'in', user, account });
  }

  /** Forgets the session in this page. `ended` = somebody or something else ended it. */
  forget(ended: boolean): void {
    this.#token = null;
    // After a session that ended by itself the same person goes on; what is kept carries their id.
    if (!ended) forgetTab();
    this.#become({ kind: 'out', ended });
  }

  /** Works in another account from now on. */
  async switchTo(slug: string): Promise<void> {
    this.begin(await this.#exchange({ account: slug }));
  }

  async signOut(): Promise<void> {
    await send('/api/sign-out');
    this.forget(false);
  }

  /**
   * Asks as who is signed in, with a new token where the old one is over.
   * @throws ConsoleError; `session_ended` has ended the session of this page
   */
  async ask<T>(path: string, question: Omit<Question, 'token'> = {}): Promise<T> {
    return forJson<T>((signal) => this.open(path, { ...question, signal }), question.signal);
  }

  /**
   * The same for an answer that is read while it comes.
   * @throws ConsoleError; `session_ended` has ended the session of this page
   */
  async open(path: string, question: Omit<Question, 'token'> = {}): Promise<Response> {
    try {
      return await open(path, { ...question, token: await this.#current() });
    } catch (error) {
      if (codeOf(error) !== 'session_ended' || this.#state.kind !== 'in') throw error;
      return open(path, { ...question, token: await this.#renew() });
    }
  }

  #current(): Promise<string> {
    const token = this.#token;
    return token && Date.now() < token.renewAt ? Promise.resolve(token.value) : this.#renew();
  }

  /** Who asks meanwhile waits for the same answer: the cookie works once. */
  #renew(): Promise<string> {
    this.#renewing ??= this.#refresh().finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  async #refresh(): Promise<string> {
    const account = this.#state.kind === 'in' ? this.#state.account.slug : this.#wanted;
    try {
      const answer = await this.#exchange(account === undefined ? {} : { account });
      this.begin(answer);
      return answer.access_token;
    } catch (error) {
      // Without a cookie nobody was signed in; any other session was ended.
      if (codeOf(error) === 'session_ended') this.forget(!(error instanceof ConsoleError && error.param === 'cookie'));
      throw error;
    }
  }

  /** An answer may be lost after the cookie was exchanged: asked again by the same attempt, the console repeats it. */
  #exchange(body: object): Promise<SessionAnswer> {
    return withAttempt((attempt) => this.#patiently({ ...body, attempt }), isPassing);
  }

  async #patiently(body: object): Promise<SessionAnswer> {
    for (const waitMs of AGAIN_AFTER_MS) {
      try {
        return await send<SessionAnswer>('/api/refresh', { body });
      } catch (error) {
        if (!isPassing(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
    return send<SessionAnswer>('/api/refresh', { body });
  }

  #become(state: SessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

const isPassing = (error: unknown): boolean => error instanceof ConsoleError && error.isPassing;

function ignoreEnd(error: unknown): void {
  if (codeOf(error) !== 'session_ended') throw error;
}

/** The one of this page. */
export const session = new Session();
