import { ServiceError } from '@slipway/contracts';
import { UnansweredError } from '@slipway/platform';
import { expect, it } from 'vitest';
import { onceServed } from './readiness.js';

const context = { signal: new AbortController().signal };
const busy = new ServiceError('unavailable', 'The database does not answer; try again soon.');

/** A step that fails with these errors, one after the other, and then is done. */
function failing(...errors: readonly Error[]): { readonly step: () => Promise<string>; tries: number } {
  const state = {
    tries: 0,
    step: (): Promise<string> => {
      const error = errors[state.tries];
      state.tries += 1;
      return error ? Promise.reject(error) : Promise.resolve('done');
    },
  };
  return state;
}

it('a step is repeated that no service received', async () => {
  const absent = failing(new UnansweredError('absent', 'keys', undefined));
  expect(await onceServed(context, absent.step)).toBe('done');
  expect(absent.tries).toBe(2);
});

it('a start outlives services that are too busy', async () => {
  const twice = failing(busy, busy);
  expect(await onceServed(context, twice.step)).toBe('done');
  expect(twice.tries).toBe(3);
});

it('a step that finds what it did is repeated without an answer', async () => {
  const silent = failing(new UnansweredError('timeout', 'keys', undefined));
  expect(await onceServed(context, silent.step, { repeatable: true })).toBe('done');
  expect(silent.tries).toBe(2);
});

it.each([new ServiceError('quota_exceeded', 'Too many.'), new UnansweredError('timeout', 'keys', undefined)])(
  'a step is not repeated after %s',
  async (error) => {
    const once = failing(error);
    await expect(onceServed(context, once.step)).rejects.toBe(error);
    expect(once.tries).toBe(1);
  },
);
