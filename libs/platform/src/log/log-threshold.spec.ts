import type { LogLevel } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.js';
import { LogThreshold } from './log-threshold.js';

const quietly = (): undefined => undefined;

describe('a threshold of the log', () => {
  it('changes loggers and their children in use', () => {
    const threshold = new LogThreshold('silent');
    const logger = createLogger('test', threshold);
    const child = logger.child({ part: 'one' });
    const levels = (): string[] => [logger, child, logger.child({}), child.child({})].map(({ level }) => level);
    threshold.change('error', quietly);
    expect(levels()).toEqual(['error', 'error', 'error', 'error']);
    threshold.change('silent', quietly);
    expect(levels()).toEqual(['silent', 'silent', 'silent', 'silent']);
  });

  it('gives a second reader every line at any level', () => {
    const lines: string[] = [];
    const threshold = new LogThreshold('silent');
    const logger = createLogger('test', threshold, (line) => lines.push(line));
    logger.debug('one');
    threshold.change('fatal', quietly);
    logger.debug('two');
    expect(lines).toHaveLength(2);
  });

  it.each<[LogLevel, LogLevel, LogLevel]>([
    ['info', 'debug', 'debug'],
    ['debug', 'error', 'debug'],
    ['error', 'fatal', 'info'],
    ['silent', 'silent', 'info'],
  ])('announces the change from %s to %s at %s', (from, to, announced) => {
    const threshold = new LogThreshold(from);
    const logger = createLogger('test', threshold);
    let meanwhile = '';
    threshold.change(to, () => (meanwhile = logger.level));
    expect([meanwhile, logger.level, threshold.level, threshold.configured]).toEqual([announced, to, to, from]);
  });

  it('tells followers the new level until they leave', () => {
    const threshold = new LogThreshold('info');
    const seen: string[] = [];
    const leave = threshold.follow((level) => seen.push(level));
    threshold.change('debug', quietly);
    leave();
    threshold.change('warn', quietly);
    expect(seen).toEqual(['debug']);
  });
});
