import { ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { withClientFieldNames } from './faults.js';

const NAMES = { structured_outputs: 'guided_regex' };

describe('the error of an engine', () => {
  it.each([
    ['structured_outputs', 'guided_regex'],
    ['structured_outputs.regex', 'guided_regex'],
    ['structured_outputs[0]', 'guided_regex'],
  ])('about %s names the client’s field', (param, own) => {
    const cause = new Error('why');
    const error = new ServiceError('invalid_value', 'No.', { param, retryAfterS: 3, facts: { a: 1 }, cause });
    const worded = withClientFieldNames(error, NAMES);
    expect(worded).toMatchObject({ code: 'invalid_value', message: 'No.', param: own, retryAfterS: 3, facts: { a: 1 }, cause });
  });

  it.each([undefined, 'messages', 'toString', 'constructor.name'])('about %s stays what it is', (param) => {
    const error = new ServiceError('invalid_value', 'No.', { param });
    expect(withClientFieldNames(error, NAMES)).toBe(error);
  });
});
