import { type ErrorCode, isServiceError } from '@slipway/contracts';
import type { Logger } from '@slipway/platform';
import { setTimeout as pause } from 'node:timers/promises';

/** The pause before the next try grows by this, in milliseconds. */
const PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 15_000;

/** A report that is repeated until it is stored. */
export interface SideReport {
  /** Sends it once. */
  readonly send: () => Promise<unknown>;
  /** The error that says that nobody waits for it any more. */
  readonly gone: ErrorCode;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Names what it is about in the log. */
  readonly facts: Readonly<Record<string, string | number>>;
}

/**
 * Sends a report until it is answered; each new reason why it was not stands in the log.
 * @returns false when the service refuses it for good: another report must say so
 */
export async function sideReported({ send, gone, signal, log, facts }: SideReport): Promise<boolean> {
  let known = '';
  for (let tries = 1; !signal.aborted; tries += 1) {
    try {
      await send();
      return true;
    } catch (error) {
      const code = isServiceError(error) ? error.code : 'invalid_request';
      if (code === gone) return true;
      if (code !== known) log.warn({ ...facts, code, err: error }, 'trainer.report_refused');
      known = code;
      if (code === 'invalid_request') return false;
    }
    await pause(Math.min(PAUSE_MS * tries, PAUSE_MAX_MS), undefined, { signal }).catch(() => undefined);
  }
  return true;
}
