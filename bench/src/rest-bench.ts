import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CleanUp } from './clean-up.js';
import { cpuSeconds, ifRunning, type ProcessGroups, proportionalBytes } from './process-figures.js';
import { Slipway } from './slipway.js';

/** After the start, in milliseconds: what was compiled and loaded for it is collected and settles meanwhile. */
const SETTLE_MS = 30_000;
const MEASURE_MS = 30_000;
const MIB = 1024 * 1024;
/** Of one core and of memory, for all processes together. */
const TARGET = { percent: 3, mib: 450 };

export interface RestStage {
  readonly root: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly freePort: () => Promise<number>;
}

interface RestRow {
  readonly name: string;
  readonly processes: number;
  /** Of one core. */
  readonly percent: number;
  readonly mib: number;
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** What has run all the time; helpers of PostgreSQL that come and go do not count. */
function rowOf(name: string, pids: readonly number[], before: ReadonlyMap<number, number>): RestRow {
  const row = { name, processes: 0, percent: 0, mib: 0 };
  for (const pid of pids) {
    const [start, end, bytes] = [before.get(pid), ifRunning(cpuSeconds, pid), ifRunning(proportionalBytes, pid)];
    if (start === undefined || end === null || bytes === null) continue;
    row.processes += 1;
    row.percent += (100 * (end - start)) / (MEASURE_MS / 1_000);
    row.mib += bytes / MIB;
  }
  return row;
}

async function measure(groups: ProcessGroups): Promise<RestRow[]> {
  const before = new Map(Object.values(groups).flatMap((pids) => pids.map((pid) => [pid, ifRunning(cpuSeconds, pid) ?? 0] as const)));
  await delay(MEASURE_MS);
  return Object.entries(groups).map(([name, pids]) => rowOf(name, pids, before));
}

function sumOf(rows: readonly RestRow[]): RestRow {
  const sum = (figure: 'processes' | 'percent' | 'mib'): number => rows.reduce((total, row) => total + row[figure], 0);
  return { name: 'all', processes: sum('processes'), percent: sum('percent'), mib: sum('mib') };
}

function printTable(rows: readonly RestRow[]): void {
  print('| process | processes | of one core | memory (PSS) |');
  print('| --- | --- | --- | --- |');
  for (const { name, processes, percent, mib } of rows)
    print(`| ${name} | ${processes} | ${percent.toFixed(2)} % | ${mib.toFixed(0)} MiB |`);
  print(`| target | | ${TARGET.percent} % | ${TARGET.mib} MiB |`);
}

/** Measures what `npm start` with the bundled model takes without requests. */
export async function runRestBench({ root, environment, freePort }: RestStage): Promise<number> {
  const cleanUp = new CleanUp();
  const interrupted = new Promise<number>((resolve) => {
    for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) process.on(signal, () => resolve(1));
  });
  const work = async (): Promise<number> => {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-rest-'));
    cleanUp.add(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    // PostgreSQL does not run as root: whoever it runs as must get to its data.
    await chmod(folder, 0o755);
    const options = { root, environment, dataDir: join(folder, 'data'), port: await freePort() };
    const slipway = await Slipway.start(options, (launcher) => cleanUp.add(() => launcher.stop()));
    await delay(SETTLE_MS);
    const rows = await measure(slipway.trees);
    printTable([...rows, sumOf(rows)]);
    return 0;
  };
  try {
    return await Promise.race([work(), interrupted]);
  } finally {
    await cleanUp.run();
  }
}
