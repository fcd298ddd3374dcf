import { setTimeout as delay } from 'node:timers/promises';
import type { Cell } from '../figures/run-file.js';
import { type Arrival, deadlineMs, type EngineReport, type Series, type SeriesResult, type Target } from '../messages.js';
import type { HelperProcess } from '../processes/helper-process.js';
import { cpuBetween } from '../processes/process-table.js';
import type { Way } from '../ways/way.js';
import type { Load } from './loads.js';

/** What takes part in a measurement beside the ways. */
export interface Surroundings {
  /** Sends requests; its processor time counts nowhere. */
  readonly clients: HelperProcess;
  readonly engine: HelperProcess;
  readonly progress: (text: string) => void;
}

/** Between two loads: what the one before left to do is done by then. */
const PAUSE_MS = 300;
/** For the answer of the clients, beyond the time that a load may take. */
const GRACE_MS = 10_000;

/** Loads of which added time is read have the engine itself beside them. */
const isTimed = ({ unit, name }: Load): boolean => unit === 'request' || name.startsWith('paced');

/** The ways that take part in a load. */
export function waysOf(load: Load, ways: readonly Way[], keys: ReadonlyMap<string, string>): Way[] {
  if (load.hasRefusedKey) return ways.filter(({ name }) => keys.has(name));
  if (load.requests.contract) return ways.filter(({ hasResponses }) => hasResponses);
  return ways.filter(({ name }) => name !== 'direct' || isTimed(load));
}

/** As many clients, or requests a second, for each gateway as for one. */
export const arrivalFor = ({ length: gateways }: Target['ports'], arrival: Arrival): Arrival =>
  arrival.kind === 'open'
    ? { ...arrival, perSecond: arrival.perSecond * gateways }
    : {
        ...arrival,
        concurrency: arrival.concurrency * gateways,
        ...(arrival.requests !== undefined && { requests: arrival.requests * gateways }),
      };

/** Puts one load on one way and counts what it takes. */
export async function takeCell(surroundings: Surroundings, load: Load, way: Way, key: string | null): Promise<Omit<Cell, 'round'>> {
  const { clients, engine, progress } = surroundings;
  const target = key === null ? way.target : { ...way.target, key };
  const asked = [load.requests, ...(load.beside ? [load.beside] : [])];
  const series = asked.map((requests): Series => ({ ...requests, arrival: arrivalFor(target.ports, requests.arrival), target }));
  await delay(PAUSE_MS);
  await engine.ask();
  const before = way.processes();
  const withinMs = Math.max(...asked.map(deadlineMs)) + GRACE_MS;
  const { results } = await clients.ask<{ results: readonly SeriesResult[] }>({ series }, withinMs);
  const cpu = cpuBetween(before, way.processes());
  const { lag } = await engine.ask<EngineReport>();
  const [result, other] = results;
  if (!result) throw new Error('The clients measured nothing.');
  progress(lineOf(load, way, result));
  const { lateness, ...rest } = result;
  return {
    load: load.name,
    way: way.name,
    ...rest,
    lateness: load.requests.script.gapMs > 0 ? lateness : null,
    cpu,
    engineLag: lag,
    ...(other && { beside: { completed: other.completed, failed: other.failed, total: other.total } }),
  };
}

const lineOf = (load: Load, way: Way, { completed, failed, seconds, firstFailure }: SeriesResult): string =>
  `${load.name}, ${way.name}: ${completed} in ${seconds.toFixed(1)} s${failed > 0 ? `, ${failed} failed: ${firstFailure}` : ''}`;

/** Rounds take ways in turns, every second round backwards: what drifts meets all of them alike. */
export const orderOf = <T>(ways: readonly T[], round: number): readonly T[] => (round % 2 === 0 ? ways : ways.toReversed());
