import type { Stage } from './case.js';
import { expectThat } from './check.js';
import type { SendOptions } from './target.js';

const BOUND_MS = 5_000;

/** A stream whose key is revoked once some text has come. */
export interface Revocation {
  /** How the stream is asked for. */
  readonly options: SendOptions;
  /** Called when the stream has ended. @throws Mismatch when that was more than 5 s after the revocation */
  expectInTime(): Promise<void>;
}

/** Revokes a spare key of the stage when `text` has come. */
export function revokedAt(stage: Stage, text: string): Revocation {
  const { value, revoke } = stage.spareKey();
  let revoked: Promise<number> = Promise.resolve(Number.NaN);
  const call = (): void => {
    revoked = revoke().then(() => performance.now());
    // Whoever awaits the end gets the error.
    revoked.catch(() => undefined);
  };
  return {
    options: { key: value, onText: { text, call } },
    expectInTime: async () => {
      const lasted = performance.now() - (await revoked);
      expectThat(`an end within ${BOUND_MS} ms`, lasted <= BOUND_MS, lasted);
    },
  };
}
