import { setTimeout as delay } from 'node:timers/promises';
import type { RestFigure } from '../figures/run-file.js';
import { cpuBetween, holdings, type ProcessTable } from '../processes/process-table.js';
import type { Way } from '../ways/way.js';

/** After the start: what was compiled and loaded for it is collected and settles meanwhile. */
const SETTLE_MS = 30_000;
const MEASURE_MS = 30_000;

interface Look {
  readonly way: Way;
  readonly table: ProcessTable;
  readonly held: ReturnType<typeof holdings>;
}

const look = (way: Way): Look => {
  const table = way.processes();
  return { way, table, held: holdings(table) };
};

/**
 * What ways take without any request, all at the same time.
 * @param share part of the usual time
 */
export async function measureRest(ways: readonly Way[], share = 1): Promise<RestFigure[]> {
  await delay(SETTLE_MS * share);
  const before = ways.map(look);
  const seconds = (MEASURE_MS * share) / 1_000;
  await delay(seconds * 1_000);
  return before.flatMap(({ way, table, held }) => {
    const after = look(way);
    const cpu = cpuBetween(table, after.table);
    return Object.entries(after.held).map(([process, { processes, bytes, wakeUps }]) => ({
      ...{ way: way.name, process, processes, bytes },
      percent: (100 * (cpu[process] ?? 0)) / seconds,
      wakeUpsPerSecond: Math.max(0, wakeUps - (held[process]?.wakeUps ?? 0)) / seconds,
    }));
  });
}
