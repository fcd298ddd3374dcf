import { describe, expect, it } from 'vitest';
import { locate } from './command-line.js';
import { COMMANDS } from './commands.js';
import { usageOf } from './usage.js';

const usage = (...path: string[]): string => usageOf(locate(COMMANDS, path).place);

describe('usage', () => {
  it('of a group lists its commands', () => {
    expect(usage('aliases')).toMatch(/^Usage: npx slipway aliases COMMAND \[options\]\n\n.+\n\nCommands:\n {2}point {4}Makes/);
    expect(usage()).toContain('deployments   ');
  });

  it('of a command tells its words and options', () => {
    const text = usage('deployments', 'scale');
    expect(text).toMatch(/^Usage: npx slipway deployments scale DEPLOYMENT REPLICAS \[options\]\n/);
    for (const part of ['  REPLICAS     how many', '--timeout SECONDS', '--account SLUG', '-h, --help']) expect(text).toContain(part);
  });

  it('fits a terminal of 120 columns', () => {
    for (const path of [[], ['keys'], ['deployments'], ['deployments', 'create'], ['deployments', 'update'], ['keys', 'rotate']]) {
      expect(
        Math.max(
          ...usage(...path)
            .split('\n')
            .map((line) => line.length),
        ),
        path.join(' '),
      ).toBeLessThanOrEqual(120);
    }
  });
});
