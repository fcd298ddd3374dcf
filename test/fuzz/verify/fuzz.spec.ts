import { ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import type { Script } from '../../gateway/scripted-runner.js';
import { expectUnharmed } from '../expect-unharmed.js';
import { fuzz } from '../fuzz-run.js';
import { FuzzTarget } from '../fuzz-target.js';
import { answerAtOnce } from '../instant-answers.js';

const FIRST = Number(process.env['FUZZ_SEED'] ?? 1_000_000);
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 100_000);

describe('bodies of every form', () => {
  it(`are answered, or refused by name, and harm no other: ${REQUESTS} of them from seed ${FIRST}`, { timeout: 3_600_000 }, async () => {
    const { statuses, memoryMib, slowest } = await expectUnharmed(FIRST, REQUESTS);
    process.stdout.write(`${JSON.stringify({ seed: FIRST, requests: REQUESTS, statuses, memoryMib, slowest })}\n`);
  });

  it('that crash an engine are reduced to the smallest body', async () => {
    const failsAtSeeds: Script = (start, writer, signal) => {
      if (start.req.sampling.seed !== undefined) throw new ServiceError('engine_error', 'The engine fell over.');
      return answerAtOnce(start, writer, signal);
    };
    const target = await FuzzTarget.start(failsAtSeeds);
    try {
      const { faults } = await fuzz(target, 1, 400);
      expect(faults.join('\n')).toMatch(
        /^seed \d+: POST .* \(chat\) 502 has a status that no wrong request may have\n {2}\{.{0,120}"seed":.{0,20}\}$/m,
      );
    } finally {
      await target.end();
    }
  });
});
