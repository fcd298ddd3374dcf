import { NEEDS, processNameOf, type Role, type ToldRelease } from '@slipway/contracts';
import type { GatheredReport } from '@slipway/platform';
import { table } from '../table.js';

/** The processes of an environment, as far as they tell of themselves. */
export interface SeenProcesses {
  /** Processes before release 0.2 send none. */
  readonly reports: readonly GatheredReport[];
  /** The lowest release that answered a call; null where none of the role did. */
  readonly lowest: (role: Role) => ToldRelease | null;
}

const nameOf = ({ role }: Pick<GatheredReport, 'role'>): string => processNameOf(role as Role);
const isSame = (one: Role, role: string): boolean => processNameOf(one) === processNameOf(role as Role);

/** What has to be updated before others, by the table of this release, in sentences; none when nothing is in the way. */
export function inTheWay({ reports, lowest }: SeenProcesses): string[] {
  return NEEDS.flatMap(({ of, from, level, because }) => {
    const answering = lowest(from);
    const old = reports.filter((one) => isSame(from, one.role) && one.level < level).map(({ release, host }) => `${release} at ${host}`);
    if (old.length === 0 && answering !== null && answering.level < level) old.push(answering.release ?? 'an older release');
    if (old.length === 0) return [];
    return [`${processNameOf(from)} runs ${[...new Set(old)].join(', ')}: update it before ${processNameOf(of)}, ${because}`];
  });
}

/** Releases and how many processes run them, such as `gateway 2 × 0.2.0`. */
export function releasesText(reports: readonly GatheredReport[]): string {
  const counts = new Map<string, number>();
  for (const one of reports) counts.set(`${nameOf(one)} ${one.release}`, (counts.get(`${nameOf(one)} ${one.release}`) ?? 0) + 1);
  return [...counts]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([what, count]) => `${count} × ${what}`)
    .join(', ');
}

/** A line for each process. */
export const processTable = (reports: readonly GatheredReport[]): string =>
  table(
    ['PROCESS', 'NAME', 'HOST', 'RELEASE', 'PROTOCOL', 'STATE'],
    reports
      .map((one) => [
        nameOf(one),
        one.wk,
        one.host,
        one.release,
        one.protocol,
        one.not_ready === null ? 'ready' : `not ready: ${one.not_ready}`,
      ])
      .toSorted((one, other) => one.join().localeCompare(other.join())),
  );
