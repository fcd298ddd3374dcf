import type { MemberRole } from '@slipway/contracts';
import { codeOf } from '../api/console-error.js';
import { open, type Question, send } from '../api/send.js';

/** A token is renewed so long before it ends, in milliseconds: clocks differ. */
const RENEW_BEFORE_MS = 45_000;

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
   * @throws ConsoleError when the console cannot say
   */
  async resume(): Promise<SessionState> {
    if (this.#state.kind === 'unknown') await this.#renew().catch(ignoreEnd);
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
    this.#become({ kind: 'out', ended });
  }

  /** Works in another account from now on. */
  async switchTo(slug: string): Promise<void> {
    this.begin(await send<SessionAnswer>('/api/refresh', { body: { account: slug } }));
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
    return (await (await this.open(path, question)).json()) as T;
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
    const { kind } = this.#state;
    const account = this.#state.kind === 'in' ? { account: this.#state.account.slug } : {};
    try {
      const answer = await send<SessionAnswer>('/api/refresh', { body: account });
      this.begin(answer);
      return answer.access_token;
    } catch (error) {
      if (codeOf(error) === 'session_ended') this.forget(kind === 'in');
      throw error;
    }
  }

  #become(state: SessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

function ignoreEnd(error: unknown): void {
  if (codeOf(error) !== 'session_ended') throw error;
}

/** The one of this page. */
export const session = new Session();
