import type { HelperProcess } from './helper-process.js';
import type { Series, SeriesResult, Target, UpstreamReport } from './messages.js';
import { type ProcessGroups, cpuOf } from './process-figures.js';

/** How a request gets to the upstream. */
export type Way = 'direct' | 'nginx' | 'bare' | 'slipway';

/** What one series of requests came to. */
export interface Measurement {
  readonly load: string;
  readonly way: Way;
  /** Distance of two tokens; 0 = the upstream writes them at once, and none can be late. */
  readonly gapMs: number;
  readonly result: SeriesResult;
  /** Processor time of what lies on the way, in seconds. */
  readonly cpu: Readonly<Record<string, number>>;
  readonly upstream: UpstreamReport;
}

/** A way, and the processes on it. */
export interface Route {
  readonly target: Target;
  readonly groups: ProcessGroups;
}

export interface Surroundings {
  readonly clients: HelperProcess;
  readonly upstream: HelperProcess;
  readonly routes: Readonly<Record<Way, Route>>;
  readonly progress: (text: string) => void;
}

/** Runs series one after the other, and keeps what they came to. */
export class Measurements {
  readonly all: Measurement[] = [];

  constructor(readonly surroundings: Surroundings) {}

  /**
   * @param load its name in the report.
   * @param key sent instead of the way's own.
   */
  async take(load: string, way: Way, series: Omit<Series, 'target'>, key?: string): Promise<Measurement> {
    const { clients, upstream, routes, progress } = this.surroundings;
    const { groups } = routes[way];
    const target = { ...routes[way].target, ...(key !== undefined && { key }) };
    await upstream.ask();
    const before = cpuOf(groups);
    const result = await clients.ask<SeriesResult>({ series: { ...series, target } });
    const after = cpuOf(groups);
    const cpu = Object.fromEntries(Object.entries(after).map(([name, seconds]) => [name, seconds - (before[name] ?? 0)]));
    const { gapMs } = series.script;
    const measurement = { load, way, gapMs, result, cpu, upstream: await upstream.ask<UpstreamReport>() };
    this.all.push(measurement);
    progress(
      `${load}, ${way}: ${result.completed} in ${result.seconds.toFixed(1)} s${result.firstFailure ? `; ${result.firstFailure}` : ''}`,
    );
    return measurement;
  }
}
