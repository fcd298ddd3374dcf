import { ServiceError } from '@slipway/contracts';
import { bytesKeptOf } from '@slipway/testing';
import passport from 'passport';
import { describe, expect, it } from 'vitest';
import { decideBy } from './decide-by.js';

interface Actions {
  success(user: object): void;
  fail(challenge?: unknown): void;
  error(thrown: unknown): void;
  pass(): void;
  redirect(url: string): void;
}

const COMMON = new ServiceError('invalid_api_key', 'No.');
const OWN = new ServiceError('auth_unavailable', 'Later.');
const ANN = { name: 'Ann' };

/** A strategy scripted by its request. */
class Scripted extends passport.Strategy {
  readonly answer = ANN;

  override authenticate(request: object): void {
    (request as { readonly act: (actions: Actions, answer: object) => void }).act(this, this.answer);
  }
}

const decide = decideBy<object>(new Scripted(), COMMON);
const verdictOf = (act: (actions: Actions, answer: object) => void): unknown => decide({ act });
const soon = (act: () => void): void => void setImmediate(act);

describe('decideBy', () => {
  it('returns a synchronous decision synchronously', () => {
    expect(verdictOf((run, answer) => run.success(answer))).toBe(ANN);
    expect(verdictOf((run) => run.fail(OWN))).toBe(OWN);
  });

  it('awaits an asynchronous decision', async () => {
    await expect(verdictOf((run) => soon(() => run.success(ANN)))).resolves.toBe(ANN);
    await expect(verdictOf((run) => soon(() => run.fail(OWN)))).resolves.toBe(OWN);
  });

  it.each([undefined, 'Bearer', 401, new Error('no')])('gives the common refusal after %s', (challenge) => {
    expect(verdictOf((run) => run.fail(challenge))).toBe(COMMON);
  });

  it('throws the error of a strategy', async () => {
    const fault = new Error('The database is gone.');
    expect(() => verdictOf((run) => run.error(fault))).toThrow(fault);
    await expect(verdictOf((run) => soon(() => run.error(fault)))).rejects.toBe(fault);
    expect(() => verdictOf((run) => run.error('text'))).toThrow(expect.objectContaining({ cause: 'text' }) as Error);
  });

  it('refuses when a strategy passes or redirects', () => {
    expect(() => verdictOf((run) => run.pass())).toThrow('passed');
    expect(() => verdictOf((run) => run.redirect('https://example.com'))).toThrow('redirected');
  });

  it('decides once for each request', () => {
    const twice = (run: Actions): void => {
      run.fail(OWN);
      run.success(ANN);
    };
    expect(verdictOf(twice)).toBe(OWN);
    expect(verdictOf((run) => run.success(ANN))).toBe(ANN);
  });
});

describe('memory after a decision', () => {
  it('is freed by young collections', () => {
    const kept = bytesKeptOf((thing) => void decide({ thing, act: (run: Actions) => run.fail(OWN) }));
    expect(kept).toBeLessThan(500);
  });

  it('is kept by passport’s own middleware', () => {
    const own = new passport.Passport().use('scripted', new Scripted());
    const kept = bytesKeptOf((thing) => {
      const request = { thing, act: (run: Actions) => run.fail(OWN) };
      (own.authenticate('scripted', { session: false }, () => undefined) as (request: object) => void)(request);
    });
    expect(kept).toBeGreaterThan(2_000);
  });
});
