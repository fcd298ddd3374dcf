const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The zone of this machine. */
const localZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The zone that times are written in: days of UTC begin elsewhere in another zone, so steps of days stay in UTC. */
export const zoneOf = (wanted: 'local' | 'utc', stepMs: number): string => (wanted === 'utc' || stepMs >= DAY ? 'UTC' : localZone());

const formats = new Map<string, Intl.DateTimeFormat>();
const PARTS = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const;

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone) ?? new Intl.DateTimeFormat('en-US', { ...PARTS, hourCycle: 'h23', timeZone: zone });
  formats.set(zone, known);
  return known;
}

/** What clocks of a zone show at a moment, as milliseconds of a day in UTC that looks the same. */
export function wallOf(at: number, zone: string): number {
  if (zone === 'UTC') return at;
  const parts = new Map(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = Object.keys(PARTS).map((name) =>
    parts.get(name as Intl.DateTimeFormatPartTypes),
  );
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((at % SECOND) + SECOND) % SECOND);
}

/** The moment at which clocks of a zone show `wall`; one that they skip is moved on by as much as they skip. */
export function momentOf(wall: number, zone: string): number {
  if (zone === 'UTC') return wall;
  const guess = wall - (wallOf(wall, zone) - wall);
  return wall - (wallOf(guess, zone) - guess);
}
