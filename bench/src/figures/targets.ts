import type { IdleFigure, RestFigure, RunFile } from './run-file.js';
import { type LoadSummary, summarize } from './summary.js';

/** A target of the design, and how this run stands to it. */
export interface Verdict {
  readonly target: string;
  readonly atMost: number;
  readonly figure: number;
  /** Requests of its load that were not answered as wanted: a figure of a load that failed in part holds nothing. */
  readonly failed: number;
  readonly holds: boolean;
}

const WAY = 'slipway';
const KIB = 1_024;
const MIB = 1_048_576;

/** What a figure is read from; undefined where the run has none. */
type Figure = readonly [target: string, atMost: number, figure: number | undefined | null, failed: number | undefined];

/** Processor time of all processes, as a multiple of nginx's in the same round. */
const TIMES_NGINX: readonly (readonly [load: string, what: string, atMost: number])[] = [
  ['short', 'short request', 20],
  ['full', '64 tokens at full speed', 15],
  ['serial', '8 tokens, one after the other', 17],
  ['paced', 'token of 300 streams', 5],
  ['ladder-1', 'token of one stream', 24],
  ['ladder-8', 'token of 8 streams', 15],
  ['ladder-32', 'token of 32 streams', 11],
  ['ladder-128', 'token of 128 streams', 6.5],
  ['ladder-512', 'token of 512 streams', 4.8],
  ['body-10', 'body of 10 KB', 13],
  ['body-400', 'body of 400 KB', 22],
];

/** Targets of single loads. */
const LOAD_TARGETS: readonly (readonly [
  load: string,
  target: string,
  atMost: number,
  figure: (row: LoadSummary) => number | null | undefined,
])[] = [
  ...TIMES_NGINX.map(([load, what, atMost]) => [load, `${what}, × nginx`, atMost, ({ ratio }: LoadSummary) => ratio?.median] as const),
  ['paced-beside', 'late tokens beside short requests', 0, ({ late }) => late],
  ['open-340', 'added to the first token at 340 requests a second, p50, ms', 2, ({ addedP50 }) => addedP50?.median],
  ['open-340', 'the same, p99, ms', 8, ({ addedP99 }) => addedP99?.median],
  ['refused', 'refused key, µs', 100, ({ micros }) => micros?.median],
];

function restTargets(rest: readonly RestFigure[]): Figure[] {
  const own = rest.filter(({ way }) => way === WAY);
  const sum = (figure: (one: RestFigure) => number): number | null =>
    own.length === 0 ? null : own.reduce((all, one) => all + figure(one), 0);
  const bytes = sum((one) => one.bytes);
  return [
    ['at rest, all processes, % of one core', 3, sum(({ percent }) => percent), 0],
    ['at rest, all processes, MiB (PSS)', 450, bytes === null ? null : bytes / MIB, 0],
  ];
}

/** What the responses contract costs, as a multiple of chat in the same run. */
function responsesTargets(rows: readonly LoadSummary[]): Figure[] {
  const microsOf = (load: string): number | undefined => rows.find((row) => row.load === load)?.micros?.median;
  return ['short', 'full'].map((name): Figure => {
    const [own, chat] = [microsOf(`responses-${name}`), microsOf(name)];
    const ratio = own !== undefined && chat !== undefined ? own / chat : null;
    return [`responses, ${name}, × chat`, 1.1, ratio, rows.find((row) => row.load === `responses-${name}`)?.failed];
  });
}

/** Nothing where processes shrank meanwhile, so that it cannot be measured. */
function idleTarget(idle: readonly IdleFigure[]): Figure {
  const own = idle.find(({ way }) => way === WAY);
  const bytes = Object.values(own?.bytes ?? {}).reduce((sum, each) => sum + each, 0);
  return ['memory of an idle stream, all processes, KiB', 40, bytes > 0 ? bytes / KIB : null, own?.failed];
}

/** The targets that this run has figures for. */
export function verdictsOf(run: RunFile): Verdict[] {
  const rows = summarize(run).filter(({ way }) => way === WAY);
  const ofLoads = LOAD_TARGETS.map(([load, target, atMost, figure]): Figure => {
    const row = rows.find((one) => one.load === load);
    return [target, atMost, row ? figure(row) : null, row?.failed];
  });
  return [...ofLoads, ...responsesTargets(rows), idleTarget(run.idle), ...restTargets(run.rest)].flatMap(
    ([target, atMost, figure, failed = 0]) =>
      figure === null || figure === undefined ? [] : [{ target, atMost, figure, failed, holds: figure <= atMost && failed === 0 }],
  );
}
