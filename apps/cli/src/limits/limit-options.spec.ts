import { describe, expect, it } from 'vitest';
import { OptionValues } from '../option-values.js';
import { changedLimits, limitChanges, limitText } from './limit-options.js';

describe('limits on the command line', () => {
  it('change those that are named and leave the others', () => {
    const changes = limitChanges(new OptionValues({ 'requests-per-minute': '60', 'tokens-per-day': 'none' }));
    expect(changedLimits({ tokens_per_day: 5, tokens_per_month: 7 }, changes)).toEqual({ requests_per_minute: 60, tokens_per_month: 7 });
  });

  it.each(['0', '-1', '1.5', 'many', '', '9999999999999'])('"%s" is refused', (text) => {
    expect(() => limitChanges(new OptionValues({ 'tokens-per-minute': text }))).toThrow('--tokens-per-minute');
  });

  it('are told in words', () => {
    expect([limitText({}), limitText({ requests_per_minute: 60, concurrent_requests: 2 })]).toEqual([
      'no limits',
      '60 requests per minute, 2 concurrent requests',
    ]);
  });
});
