import { ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import type { Script } from '../../gateway/scripted-runner.js';
import { until } from '../../gateway/gateway-rig.js';
import { fuzz, type FuzzReport } from '../fuzz-run.js';
import { FuzzTarget } from '../fuzz-target.js';
import { answerAtOnce } from '../instant-answers.js';

const FIRST = Number(process.env['FUZZ_SEED'] ?? 1_000_000);
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 100_000);
const WITHIN_MS = 60_000;
const MAX_GROWTH_MIB = 128;

/** Sends changed requests to a gateway of its own, which answers each as its contract says and is none the worse for it. */
async function expectUnharmed(): Promise<FuzzReport> {
  const target = await FuzzTarget.start();
  let report: FuzzReport;
  let complaints: readonly string[];
  let code: number | null;
  try {
    report = await fuzz(target, FIRST, REQUESTS);
    await until('nothing runs', () => target.running === 0, WITHIN_MS);
  } finally {
    ({ complaints } = target);
    code = await target.end();
  }
  expect(report.faults.join('\n'), `seeds ${FIRST} to ${FIRST + REQUESTS - 1}`).toBe('');
  expect(report.requests).toBe(REQUESTS);
  expect(complaints.slice(0, 5)).toEqual([]);
  expect(code).toBe(0);
  const [halfway, end] = report.memoryMib;
  expect(end - halfway, `memory went from ${halfway} to ${end} MiB`).toBeLessThan(MAX_GROWTH_MIB);
  return report;
}

describe('bodies of every form', () => {
  it(`are answered, or refused by name, and harm no other: ${REQUESTS} of them from seed ${FIRST}`, { timeout: 3_600_000 }, async () => {
    const { statuses, memoryMib, slowest } = await expectUnharmed();
    for (const endpoint of ['chat', 'messages', 'responses', 'count', 'embeddings']) {
      expect(statuses[`${endpoint} 200`], endpoint).toBeGreaterThan(REQUESTS / 40);
      expect(statuses[`${endpoint} 400`], endpoint).toBeGreaterThan(REQUESTS / 40);
    }
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
