import type { Findings } from './loads.js';
import type { Way } from './measurement.js';
import type { Row } from './report.js';

/** A target of the design, and how this run stands to it. */
export interface Verdict {
  readonly target: string;
  readonly atMost: number;
  readonly figure: number;
  /** Requests of its loads that were not answered as wanted: a figure of a load that failed in part holds nothing. */
  readonly failed: number;
  readonly holds: boolean;
}

/** Which rows a figure is made of. */
type Loads = (row: Row) => boolean;

const mean = (figures: readonly number[]): number | null =>
  figures.length === 0 ? null : figures.reduce((sum, figure) => sum + figure, 0) / figures.length;

const ratios = (rows: readonly Row[], load: string): number[] =>
  rows.flatMap((row) => (row.load === load && row.way === 'slipway' && row.ratio !== null ? [row.ratio] : []));

/** Time to first token that Slipway adds to the upstream's own, over all trials. */
function added(rows: readonly Row[], percentile: 'ttftP50' | 'ttftP99'): number | null {
  const of = (way: Way): number | null =>
    mean(rows.filter((row) => row.load.startsWith('first-token') && row.way === way).map((row) => row[percentile]));
  const [slipway, direct] = [of('slipway'), of('direct')];
  return slipway === null || direct === null ? null : slipway - direct;
}

const is =
  (load: string): Loads =>
  (row) =>
    row.load === load;
const isFirstToken: Loads = ({ load }) => load.startsWith('first-token');

/** KiB per stream on the heap or resident, whichever is more; null where the process shrank meanwhile, so that it cannot be measured. */
function memoryOf(idle: Findings['idle']): number | null {
  const bytes = idle ? Math.max(idle.gateway, idle.gatewayResident) : 0;
  return bytes > 0 ? bytes / 1024 : null;
}

/** The targets that this run has figures for. */
export function verdictsOf(rows: readonly Row[], { idle, highestRung }: Findings): Verdict[] {
  const failedIn = (loads: Loads): number =>
    rows.filter((row) => row.way === 'slipway' && loads(row)).reduce((sum, { failed }) => sum + failed, 0);
  const refused = rows.find(is('refused key'))?.cpuPerRequest['gateway'];
  const paced = `paced ${highestRung}`;
  const figures: readonly (readonly [target: string, atMost: number, figure: number | null | undefined, failed: number])[] = [
    [`CPU per streamed token, × nginx, at ${highestRung} streams`, 3, mean(ratios(rows, paced)), failedIn(is(paced))],
    ['CPU per short request, × nginx', 10, mean(ratios(rows, 'short')), failedIn(is('short'))],
    ['added time to first token at half load, p50, ms', 2, added(rows, 'ttftP50'), failedIn(isFirstToken)],
    ['added time to first token at half load, p99, ms', 8, added(rows, 'ttftP99'), failedIn(isFirstToken)],
    [`gateway's memory per idle stream, KiB, at ${idle?.streams} streams`, 40, memoryOf(idle), idle?.failed ?? 0],
    ['CPU per refused key, µs', 100, refused, failedIn(is('refused key'))],
  ];
  return figures.flatMap(([target, atMost, figure, failed]) =>
    figure === null || figure === undefined
      ? []
      : [{ target, atMost, figure: Math.round(figure * 100) / 100, failed, holds: figure <= atMost && failed === 0 }],
  );
}

/** A line for each target. */
export const verdictLines = (verdicts: readonly Verdict[]): string[] =>
  verdicts.map(
    ({ target, atMost, figure, failed, holds }) =>
      `${holds ? 'holds ' : 'missed'}  ${target}: ${figure} (at most ${atMost})${failed > 0 ? `; ${failed} of its requests failed` : ''}`,
  );
