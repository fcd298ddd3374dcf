import { describe, expect, it } from 'vitest';
import { levelOf, NEEDS, needsOf } from './needs.js';
import { readRelease, releaseText, unmetText } from './told-release.js';

describe('what a process tells of its release', () => {
  it('is read by others as it was written', () => {
    expect(readRelease(releaseText('keys', '0.3.0-rc.1', '1.0'))).toEqual({ release: '0.3.0-rc.1', level: levelOf('keys') });
  });

  it('is read with parts of later releases', () => {
    expect(readRelease('1.4.0; protocol=1.2; level=12; colour=green')).toEqual({ release: '1.4.0', level: 12 });
  });

  it.each([undefined, '', 'no release at all', '0.3.0\nlevel=9', 'x'.repeat(200), '; level=one'])('counts as nothing said: %j', (text) => {
    expect(readRelease(text)).toEqual({ release: null, level: 0 });
  });

  it('names both releases where one is too old', () => {
    const need = { of: 'gateway', from: 'keys', level: 2, because: 'it counts tokens' } as const;
    expect(unmetText(need, { release: '0.2.0', level: 1 }, '0.3.0')).toBe(
      'keys-service runs 0.2.0; this gateway is 0.3.0 and needs it updated first: it counts tokens',
    );
    expect(unmetText(need, readRelease(undefined), '0.3.0')).toContain('keys-service runs an older release');
  });
});

describe('the needs of processes', () => {
  it('number what each role offers without gaps', () => {
    for (const role of new Set(NEEDS.map(({ from }) => from))) {
      const levels = new Set(NEEDS.filter(({ from }) => from === role).map(({ level }) => level));
      expect([...levels].toSorted((one, other) => one - other)).toEqual(Array.from({ length: levelOf(role) }, (_, i) => i + 1));
    }
  });

  it('follow the order in which fleets are updated', () => {
    const order = ['keys', 'deployments', 'worker', 'gateway', 'tuning', 'trainer', 'console'];
    for (const { of, from } of NEEDS) expect(order.indexOf(from)).toBeLessThan(order.indexOf(of));
  });

  it('of an agent are those of a worker', () => {
    expect(needsOf('agent')).toEqual(needsOf('worker'));
  });
});
