import { describe, expect, it } from 'vitest';
import { UsageError } from '../cli-errors.js';
import { changedLimits, LIMIT_OPTIONS, limitChanges, limitText } from './limit-options.js';

const option = LIMIT_OPTIONS.find(({ long }) => long === '--tokens-per-minute');

describe('limits on the command line', () => {
  it('change those that are named and leave the others', () => {
    const changes = limitChanges({ requestsPerMinute: 60, tokensPerDay: 'none' });
    expect(changedLimits({ tokens_per_day: 5, tokens_per_month: 7 }, changes)).toEqual({ requests_per_minute: 60, tokens_per_month: 7 });
  });

  it('take a number or none', () => {
    expect([option?.parseArg?.('60', undefined), option?.parseArg?.('none', undefined)]).toEqual([60, 'none']);
  });

  it.each(['0', '-1', '1.5', 'many', '', '9999999999999'])('"%s" is refused', (text) => {
    expect(() => option?.parseArg?.(text, undefined)).toThrow(UsageError);
  });

  it('are shown in words', () => {
    expect([limitText({}), limitText({ requests_per_minute: 60, concurrent_requests: 2 })]).toEqual([
      'no limits',
      '60 requests per minute, 2 concurrent requests',
    ]);
  });
});
