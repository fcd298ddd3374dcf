import type { Findings } from './loads.js';
import type { Measurement, Way } from './measurement.js';

/** Figures of one series, as people compare them. */
export interface Row {
  readonly load: string;
  readonly way: Way;
  readonly perSecond: number;
  readonly tokensPerSecond: number;
  /** Milliseconds. */
  readonly ttftP50: number;
  readonly ttftP99: number;
  readonly totalP50: number;
  readonly totalP99: number;
  /** How long after they were due tokens arrived; null where they have no pace. */
  readonly latenessP99: number | null;
  /** Processor time per request in microseconds, by process. */
  readonly cpuPerRequest: Readonly<Record<string, number>>;
  /** The same per token. */
  readonly cpuPerToken: Readonly<Record<string, number>>;
  /** Processor time of gateway and worker, as a multiple of nginx's at the same load. */
  readonly ratio: number | null;
  readonly failed: number;
  readonly lost: number;
  readonly doubled: number;
  readonly misplaced: number;
  readonly garbled: number;
  readonly late: number | null;
  /** How late the upstream itself wrote at p99, in milliseconds. */
  readonly upstreamLagP99: number;
}

const each = (cpu: Readonly<Record<string, number>>, units: number): Record<string, number> =>
  Object.fromEntries(Object.entries(cpu).map(([name, seconds]) => [name, units === 0 ? 0 : Math.round((seconds / units) * 1e7) / 10]));

const answered = ({ result }: Measurement): number => result.completed + result.failed;

function rowOf(measurement: Measurement): Row {
  const { load, way, gapMs, result, cpu, upstream } = measurement;
  const { counts, ttft, total, lateness, seconds } = result;
  const { lost, doubled, misplaced, garbled, late, tokens } = counts;
  return {
    load,
    way,
    perSecond: Math.round((answered(measurement) / seconds) * 10) / 10,
    tokensPerSecond: Math.round(tokens / seconds),
    ttftP50: ttft.p50,
    ttftP99: ttft.p99,
    totalP50: total.p50,
    totalP99: total.p99,
    latenessP99: gapMs > 0 ? lateness.p99 : null,
    cpuPerRequest: each(cpu, answered(measurement)),
    cpuPerToken: each(cpu, tokens),
    ratio: null,
    failed: result.failed,
    lost,
    doubled,
    misplaced,
    garbled,
    late: gapMs > 0 ? late : null,
    upstreamLagP99: upstream.lag.p99,
  };
}

const ownCpu = ({ cpuPerRequest }: Row): number => (cpuPerRequest['gateway'] ?? 0) + (cpuPerRequest['worker'] ?? 0);

/** One row for each series; trials of the same load stay apart, each with the ratio to nginx's trial before it. */
export function rowsOf(measurements: readonly Measurement[]): Row[] {
  const nginx = new Map<string, number>();
  return measurements.map((measurement) => {
    const row = rowOf(measurement);
    if (row.way === 'nginx') nginx.set(row.load, row.cpuPerRequest['nginx'] ?? 0);
    const base = nginx.get(row.load) ?? 0;
    return (row.way === 'slipway' || row.way === 'bare') && base > 0
      ? { ...row, ratio: Math.round((ownCpu(row) / base) * 100) / 100 }
      : row;
  });
}

const times = (cpu: Readonly<Record<string, number>>): string =>
  Object.values(cpu)
    .map((us) => us.toFixed(us < 100 ? 1 : 0))
    .join(' + ') || '–';

const COLUMNS: readonly (readonly [title: string, cell: (row: Row) => string])[] = [
  ['load', ({ load }) => load],
  ['way', ({ way }) => way],
  ['req/s', ({ perSecond }) => perSecond.toFixed(0)],
  ['tokens/s', ({ tokensPerSecond }) => tokensPerSecond.toFixed(0)],
  ['ttft p50', ({ ttftP50 }) => ttftP50.toFixed(2)],
  ['p99', ({ ttftP99 }) => ttftP99.toFixed(2)],
  ['total p50', ({ totalP50 }) => totalP50.toFixed(2)],
  ['p99', ({ totalP99 }) => totalP99.toFixed(2)],
  ['late p99', ({ latenessP99 }) => latenessP99?.toFixed(1) ?? ''],
  ['cpu µs/request', ({ cpuPerRequest }) => times(cpuPerRequest)],
  ['cpu µs/token', ({ cpuPerToken }) => times(cpuPerToken)],
  ['× nginx', ({ ratio }) => (ratio === null ? '' : ratio.toFixed(1))],
  ['failed', ({ failed }) => String(failed)],
  ['lost', ({ lost }) => String(lost)],
  ['doubled', ({ doubled }) => String(doubled)],
  ['out of place', ({ misplaced, garbled }) => String(misplaced + garbled)],
  ['late', ({ late }) => (late === null ? '' : String(late))],
];

/** A table for people; times in milliseconds, processor time of gateway + worker + nats-server in microseconds. */
export function tableOf(rows: readonly Row[]): string {
  const lines = [COLUMNS.map(([title]) => title), ...rows.map((row) => COLUMNS.map(([, cell]) => cell(row)))];
  const widths = COLUMNS.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line.map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  '),
    )
    .join('\n');
}

const kib = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`;

/** What is no series of requests, as sentences. */
export function sentencesOf({ rest, idle, highestRung }: Findings): string[] {
  return [
    ...(rest
      ? [
          `At rest: ${Object.entries(rest)
            .map(([name, share]) => `${name} ${(share * 100).toFixed(1)} %`)
            .join(', ')} of a core.`,
        ]
      : []),
    ...(idle
      ? [
          `${idle.streams} idle streams (${idle.failed} failed): ${kib(idle.gateway)} each in the gateway (resident ${kib(idle.gatewayResident)}), ${kib(idle.worker)} in the worker.`,
        ]
      : []),
    ...(highestRung === undefined
      ? []
      : [`64 tokens, 20 ms apart: ${highestRung} streams at once with nothing lost, doubled or late at p99.`]),
  ];
}
