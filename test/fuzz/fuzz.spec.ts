import { ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import type { Script } from '../gateway/scripted-runner.js';
import { expectUnharmed } from './expect-unharmed.js';
import { fuzz } from './fuzz-run.js';
import { FuzzTarget } from './fuzz-target.js';
import { answerAtOnce } from './instant-answers.js';

const FIRST = 1;
const REQUESTS = 2_000;

describe('bodies of every form', () => {
  it('are answered, or refused by name, and harm no other: 2,000 of them', async () => {
    const { statuses } = await expectUnharmed(FIRST, REQUESTS);
    for (const endpoint of ['chat', 'messages', 'responses', 'count', 'embeddings']) {
      expect(statuses[`${endpoint} 200`], endpoint).toBeGreaterThan(50);
      expect(statuses[`${endpoint} 400`], endpoint).toBeGreaterThan(50);
    }
  });

  it('that crash an engine are reduced to the smallest body', async () => {
    const failsAtSeeds: Script = (start, writer, signal) => {
      if (start.req.sampling.seed !== undefined) throw new ServiceError('engine_error', 'The engine fell over.');
      return answerAtOnce(start, writer, signal);
    };
    const target = await FuzzTarget.start(failsAtSeeds);
    try {
      const { faults } = await fuzz(target, FIRST, 400);
      expect(faults.join('\n')).toMatch(
        /^seed \d+: POST .* \(chat\) 502 has a status that no wrong request may have\n {2}\{.{0,120}"seed":.{0,20}\}$/m,
      );
    } finally {
      await target.end();
    }
  });
});
