import type { Unit } from '../loads/loads.js';
import type { Cell, RunFile } from './run-file.js';
import { medianOf, type Spread, spreadOf } from './spread.js';

/** What all rounds of one load on one way came to. */
export interface LoadSummary {
  readonly load: string;
  readonly title: string;
  readonly way: string;
  readonly unit: Unit;
  /** Processor time of all processes for each request or token, in microseconds; null where nothing was answered. */
  readonly micros: Spread | null;
  /** The same as a multiple of nginx's in the same round. */
  readonly ratio: Spread | null;
  /** Microseconds by process, medians, the dearest first. */
  readonly split: Readonly<Record<string, number>>;
  readonly perSecond: Spread | null;
  /** Time to first token beyond that of the engine asked directly in the same round, in milliseconds. */
  readonly addedP50: Spread | null;
  readonly addedP99: Spread | null;
  readonly latenessP99: Spread | null;
  /** Of that, how late the engine itself wrote. */
  readonly engineLagP99: Spread | null;
  /** Sums over all rounds. */
  readonly answered: number;
  readonly failed: number;
  readonly wrong: number;
  readonly lost: number;
  readonly doubled: number;
  /** Null where tokens have no pace. */
  readonly late: number | null;
  readonly veryLate: number | null;
}

/** Seconds of processor time, all processes. */
const cpuOf = ({ cpu }: Cell): number => Object.values(cpu).reduce((sum, seconds) => sum + seconds, 0);

const unitsOf = (cell: Cell, unit: Unit): number => (unit === 'token' ? cell.counts.tokens : cell.completed + cell.failed);

/** Microseconds of processor time for each request or token; null where there was none. */
export function microsOf(cell: Cell, unit: Unit): number | null {
  const units = unitsOf(cell, unit);
  return units === 0 ? null : (cpuOf(cell) / units) * 1e6;
}

const present = (figures: readonly (number | null)[]): number[] => figures.filter((figure) => figure !== null);

/** One figure of each round of `cells`, beside that of `others` in the same round. */
function beside(cells: readonly Cell[], others: readonly Cell[], figure: (cell: Cell, other: Cell) => number | null): Spread | null {
  const pairs = cells.map((cell) => ({ cell, other: others.find(({ round }) => round === cell.round) }));
  return spreadOf(present(pairs.map(({ cell, other }) => (other ? figure(cell, other) : null))));
}

function splitOf(cells: readonly Cell[], unit: Unit): Record<string, number> {
  const names = [...new Set(cells.flatMap(({ cpu }) => Object.keys(cpu)))];
  const rows = names.map((name) => {
    const each = cells.filter((cell) => unitsOf(cell, unit) > 0).map((cell) => ((cell.cpu[name] ?? 0) / unitsOf(cell, unit)) * 1e6);
    return [name, each.length === 0 ? 0 : medianOf(each)] as const;
  });
  return Object.fromEntries(rows.toSorted(([, a], [, b]) => b - a));
}

function summaryOf(load: RunFile['loads'][number], way: string, cellsOf: (way: string) => readonly Cell[]): LoadSummary {
  const { unit } = load;
  const cells = cellsOf(way);
  const direct = way === 'direct' ? [] : cellsOf('direct');
  const sum = (figure: (cell: Cell) => number): number => cells.reduce((total, cell) => total + figure(cell), 0);
  const paced = cells.some(({ lateness }) => lateness !== null);
  const cheaper = (cell: Cell, nginx: Cell): number | null => {
    const [own, base] = [microsOf(cell, unit), microsOf(nginx, unit)];
    return own === null || base === null || base === 0 ? null : own / base;
  };
  return {
    load: load.name,
    title: load.title,
    way,
    unit,
    micros: spreadOf(present(cells.map((cell) => microsOf(cell, unit)))),
    ratio: beside(cells, cellsOf('nginx'), cheaper),
    split: splitOf(cells, unit),
    perSecond: spreadOf(cells.map((cell) => cell.completed / cell.seconds)),
    addedP50: beside(cells, direct, (cell, other) => cell.ttft.p50 - other.ttft.p50),
    addedP99: beside(cells, direct, (cell, other) => cell.ttft.p99 - other.ttft.p99),
    latenessP99: spreadOf(present(cells.map(({ lateness }) => lateness?.p99 ?? null))),
    engineLagP99: paced ? spreadOf(cells.map(({ engineLag }) => engineLag.p99)) : null,
    answered: sum(({ completed }) => completed),
    failed: sum(({ failed, beside: others }) => failed + (others?.failed ?? 0)),
    wrong: sum(({ counts }) => counts.misplaced + counts.garbled),
    lost: sum(({ counts }) => counts.lost),
    doubled: sum(({ counts }) => counts.doubled),
    late: paced ? sum(({ counts }) => counts.late) : null,
    veryLate: paced ? sum(({ counts }) => counts.veryLate) : null,
  };
}

/** Every load on every way that ran it. */
export function summarize({ cells, loads, ways }: RunFile): LoadSummary[] {
  return loads.flatMap((load) => {
    const cellsOf = (way: string): readonly Cell[] => cells.filter((cell) => cell.load === load.name && cell.way === way);
    return ways.flatMap(({ name }) => (cellsOf(name).length === 0 ? [] : [summaryOf(load, name, cellsOf)]));
  });
}
