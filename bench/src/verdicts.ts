import type { Findings } from './loads.js';
import type { Way } from './measurement.js';
import type { Row } from './report.js';

/** A target of the design, and how this run stands to it. */
export interface Verdict {
  readonly target: string;
  readonly atMost: number;
  readonly figure: number;
  readonly holds: boolean;
}

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

/** The targets that this run has figures for. */
export function verdictsOf(rows: readonly Row[], { idle, highestRung }: Findings): Verdict[] {
  const refused = rows.find(({ load }) => load === 'refused key')?.cpuPerRequest['gateway'];
  const figures: readonly (readonly [target: string, atMost: number, figure: number | null | undefined])[] = [
    [`CPU per streamed token, × nginx, at ${highestRung} streams`, 3, mean(ratios(rows, `paced ${highestRung}`))],
    ['CPU per short request, × nginx', 10, mean(ratios(rows, 'short'))],
    ['added time to first token at half load, p50, ms', 2, added(rows, 'ttftP50')],
    ['added time to first token at half load, p99, ms', 8, added(rows, 'ttftP99')],
    ["gateway's memory per idle stream, KiB", 40, idle && idle.gateway / 1024],
    ['CPU per refused key, µs', 100, refused],
  ];
  return figures.flatMap(([target, atMost, figure]) =>
    figure === null || figure === undefined ? [] : [{ target, atMost, figure: Math.round(figure * 100) / 100, holds: figure <= atMost }],
  );
}

/** A line for each target. */
export const verdictLines = (verdicts: readonly Verdict[]): string[] =>
  verdicts.map(({ target, atMost, figure, holds }) => `${holds ? 'holds ' : 'missed'}  ${target}: ${figure} (at most ${atMost})`);
