import { gateOf } from './gate.js';
import type { IdleFigure, RestFigure, RunFile } from './run-file.js';
import type { Spread } from './spread.js';
import { type LoadSummary, summarize } from './summary.js';
import { type Verdict, verdictsOf } from './targets.js';

const MIB = 2 ** 20;

/** With two digits that count, and never more than one after the point from ten up. */
const short = (figure: number): string => {
  const size = Math.abs(figure);
  if (size >= 100) return Math.round(figure).toLocaleString('en');
  if (size >= 10) return figure.toFixed(0);
  return figure.toFixed(size >= 1 ? 1 : 2);
};

/** `4.1 (3.9–4.4)`, without brackets where there is one figure. */
const spread = (figures: Spread | null): string => {
  if (figures === null) return '–';
  const { median, low, high } = figures;
  return low === high ? short(median) : `${short(median)} (${short(low)}–${short(high)})`;
};

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const serverNames = ({ ways }: RunFile): string[] => ways.map(({ name }) => name).filter((name) => name !== 'direct');

/** Processor time of all processes: nginx's in microseconds, that of the others as its multiple. */
function costTable(run: RunFile, summaries: readonly LoadSummary[]): string {
  const [base = 'nginx', ...others] = serverNames(run);
  const rows = run.loads.map(({ name, title }) => {
    const of = (way: string): LoadSummary | undefined => summaries.find((row) => row.load === name && row.way === way);
    const cells = others.flatMap((way) => [spread(of(way)?.ratio ?? null), spread(of(way)?.micros ?? null)]);
    return [title, spread(of(base)?.micros ?? null), ...cells];
  });
  return table(['load', `${base}, µs`, ...others.flatMap((way) => [`${way}, × ${base}`, 'µs'])], rows);
}

const count = (figure: number | null): string => (figure === null ? '' : figure.toLocaleString('en'));

const ofPaced = (row: LoadSummary, figures: Spread | null): string => (row.late === null ? '' : spread(figures));

function answerTable(run: RunFile, summaries: readonly LoadSummary[]): string {
  const rows = run.loads.flatMap(({ name }) =>
    summaries
      .filter(({ load }) => load === name)
      .map((row) => [
        ...[row.title, row.way, spread(row.perSecond), spread(row.addedP50), spread(row.addedP99)],
        ...[ofPaced(row, row.latenessP99), ofPaced(row, row.engineLagP99), count(row.late), count(row.veryLate)],
        ...[count(row.answered), count(row.failed), count(row.lost), count(row.doubled), count(row.wrong)],
      ]),
  );
  const times = ['added to first token p50, ms', 'p99', 'lag of tokens p99, ms', 'engine’s own', 'late', 'over 250 ms'];
  return table(['load', 'way', 'answers a second', ...times, 'answered', 'failed', 'lost', 'doubled', 'wrong'], rows);
}

/** What each process of a way takes; null for a way of one process. */
function splitTable(way: string, summaries: readonly LoadSummary[]): string | null {
  const rows = summaries.filter((row) => row.way === way);
  const names = [...new Set(rows.flatMap(({ split }) => Object.keys(split)))];
  if (names.length < 2) return null;
  const cells = rows.map(({ title, split }) => [title, ...names.map((name) => short(split[name] ?? 0))]);
  return table([`${way}, µs`, ...names], cells);
}

const sumOf = <T>(figures: readonly T[], figure: (one: T) => number): number => figures.reduce((sum, one) => sum + figure(one), 0);

/** Every process at rest, and all processes of each way. */
export function restTable(rest: readonly RestFigure[]): string {
  const row = (name: string, figures: readonly RestFigure[]): string[] => [
    name,
    `${sumOf(figures, ({ processes }) => processes)}`,
    `${sumOf(figures, ({ percent }) => percent).toFixed(2)} %`,
    `${(sumOf(figures, ({ bytes }) => bytes) / MIB).toFixed(0)} MiB`,
    sumOf(figures, ({ wakeUpsPerSecond }) => wakeUpsPerSecond).toFixed(1),
  ];
  const ways = [...new Set(rest.map(({ way }) => way))];
  const rows = ways.flatMap((way) => {
    const own = rest.filter((figure) => figure.way === way);
    const each = own.length > 1 ? own.map((figure) => row(`${way}: ${figure.process}`, [figure])) : [];
    return [...each, row(`${way}, all`, own)];
  });
  return table(['at rest', 'processes', 'of one core', 'memory (PSS)', 'wake-ups a second'], rows);
}

/** How the product stands to its other state. */
function gateTable(run: RunFile, against: string): string {
  const rows = gateOf(run, 'slipway', against).map(({ title, rounds, ratio, allowed, wrong, holds }) => [
    ...[title, `${rounds}`, ratio.toFixed(3), allowed.toFixed(3), `${wrong}`, holds ? 'holds' : 'fails'],
  ]);
  return table([`slipway ÷ ${against}`, 'rounds', 'median', 'allowed', 'wrong', ''], rows);
}

/** How Slipway stands to its targets. */
function targetTable(verdicts: readonly Verdict[]): string | null {
  const rows = verdicts.map(({ target, atMost, figure, failed, holds }) => [
    target,
    `${atMost}`,
    short(figure),
    `${failed}`,
    holds ? 'holds' : 'missed',
  ]);
  return rows.length === 0 ? null : table(['target', 'at most', 'this run', 'failed requests', ''], rows);
}

const kib = (bytes: number): string => (bytes / 1024).toFixed(1);

function idleTable(idle: readonly IdleFigure[]): string {
  const rows = idle.map(({ way, streams, failed, bytes }) => [
    ...[way, `${streams}`, `${failed}`, kib(sumOf(Object.values(bytes), (one) => one))],
    Object.entries(bytes)
      .filter(([, each]) => Math.abs(each) >= 512)
      .map(([name, each]) => `${name} ${kib(each)}`)
      .join(', '),
  ]);
  return table(['idle streams', 'streams', 'failed', 'KiB each, all processes', 'of them'], rows);
}

function headLine({ at, seconds, machine, rounds, share }: RunFile): string {
  const [before, after] = machine.load.map((load) => load.toFixed(1));
  const quick = share < 1 ? `, each load ${share} of its time` : '';
  return `Run of ${at.slice(0, 16).replace('T', ' ')} UTC, ${Math.round(seconds / 60)} min, ${rounds} rounds${quick}; ${machine.cores} cores (${machine.processor}), which clients and engine use as well, load average ${before} before and ${after} after; Node ${machine.node.slice(1)}. Median (lowest–highest) of the rounds; processor time of all processes.`;
}

function wayTable({ ways }: RunFile): string {
  const rows = ways.map(({ name, version, does, lacks }) => [name, version, does.join(', '), lacks.join(', ')]);
  return table(['way', 'version', 'does for each request', 'does not'], rows);
}

/** A run as Markdown. */
export function pageOf(run: RunFile): string {
  const summaries = summarize(run);
  const loads = run.loads.length > 0;
  const parts = [
    headLine(run),
    wayTable(run),
    targetTable(verdictsOf(run)),
    ...(loads && run.against !== null ? [gateTable(run, run.against)] : []),
    ...(loads ? [costTable(run, summaries), answerTable(run, summaries)] : []),
    ...serverNames(run).map((way) => splitTable(way, summaries)),
    ...(run.rest.length > 0 ? [restTable(run.rest)] : []),
    ...(run.idle.length > 0 ? [idleTable(run.idle)] : []),
  ];
  return `${parts.filter((part) => part !== null).join('\n\n')}\n`;
}
