import type { Arrival, Requests } from '../messages.js';

/** What the cost of a load is divided by. */
export type Unit = 'request' | 'token';

/** Requests that all ways get in turns. */
export interface Load {
  readonly name: string;
  /** What `npm run bench -- LOAD` selects it by, beside its name. */
  readonly family: string;
  /** For tables. */
  readonly title: string;
  readonly unit: Unit;
  readonly requests: Requests;
  /** Sent at the same time; its processor time counts too. */
  readonly beside?: Requests;
  /** Only ways that check keys, with a key that they refuse. */
  readonly hasRefusedKey?: true;
}

const OK = [200];
const REFUSED = [401, 403, 429];
const AT_ONCE = 0;
/** 33 tokens a second. */
const READING_MS = 30;
const RUNG_MS = 20;
const TOKENS = 64;

const closed = (concurrency: number, seconds: number): Arrival => ({ kind: 'closed', concurrency, withinMs: seconds * 1_000 });
const open = (perSecond: number, seconds: number): Arrival => ({ kind: 'open', perSecond, withinMs: seconds * 1_000 });
const requests = (arrival: Arrival, tokens: number, gapMs: number, more: Partial<Requests> = {}): Requests => ({
  arrival,
  stream: true,
  script: { tokens, gapMs },
  bodyBytes: null,
  wantedStatus: OK,
  ...more,
});
const plain = { stream: false };

const single = (name: string, title: string, unit: Unit, asked: Requests): Load => ({ name, family: name, title, unit, requests: asked });

const TITLES = { short: 'short request, 10 at once', full: '64 tokens at full speed, 10 streams' } as const;
const SHORT = requests(closed(10, 4), TOKENS, AT_ONCE, plain);
const FULL = requests(closed(10, 4), TOKENS, AT_ONCE);
/** The same requests in the responses contract. */
const responding = (name: keyof typeof TITLES): Requests => ({ ...(name === 'short' ? SHORT : FULL), contract: 'responses' });

const paced = requests(closed(300, 8), TOKENS, READING_MS);

const rung = (streams: number): Load => ({
  ...single(
    `ladder-${streams}`,
    `token, ${streams} ${streams === 1 ? 'stream' : 'streams'}, 20 ms apart`,
    'token',
    requests(closed(streams, 5), TOKENS, RUNG_MS),
  ),
  family: 'ladder',
});

const body = (kilobytes: number): Load => ({
  ...single(
    `body-${kilobytes}`,
    `request, body of ${kilobytes} KB`,
    'request',
    requests(closed(4, 3), 16, AT_ONCE, { bodyBytes: kilobytes * 1_000 }),
  ),
  family: 'bodies',
});

const arriving = (perSecond: number): Load => ({
  ...single(
    `open-${perSecond}`,
    `request, ${perSecond.toLocaleString('en')} a second`,
    'request',
    requests(open(perSecond, 4), 16, AT_ONCE),
  ),
  family: 'open',
});

/** All loads, in the order in which they are run. Each ends by itself: within its time, and the time of its last answers. */
export const LOADS: readonly Load[] = [
  single('short', TITLES.short, 'request', SHORT),
  single('full', TITLES.full, 'request', FULL),
  single('serial', '8 tokens, one after the other', 'request', requests(closed(1, 3), 8, AT_ONCE)),
  single('paced', 'token, 300 streams, 33 a second each', 'token', paced),
  {
    ...single('paced-beside', 'token, 300 such streams, beside 20 short requests a second', 'token', paced),
    beside: requests(open(20, 9), TOKENS, AT_ONCE, plain),
  },
  ...[1, 8, 32, 128, 512].map(rung),
  ...[10, 400].map(body),
  ...[150, 340, 1_000].map(arriving),
  ...(['short', 'full'] as const).map((name): Load => ({
    ...single(`responses-${name}`, `${TITLES[name]}, responses`, 'request', responding(name)),
    family: 'responses',
  })),
  {
    ...single('responses-stored', `${TITLES.full}, responses, stored`, 'request', { ...responding('full'), stored: true }),
    family: 'responses',
  },
  {
    ...single('refused', 'refused key, 10 at once', 'request', requests(closed(10, 3), 8, AT_ONCE, { ...plain, wantedStatus: REFUSED })),
    hasRefusedKey: true,
  },
];

/** Lets everything compile its hot paths before anything is measured. */
export const WARM_UP: readonly Load[] = [
  single('warm-up', 'warm-up', 'request', requests(closed(10, 3), TOKENS, AT_ONCE, plain)),
  single('warm-up', 'warm-up', 'request', requests(closed(10, 3), TOKENS, AT_ONCE)),
  single('warm-up', 'warm-up', 'token', requests(closed(100, 3), TOKENS, READING_MS)),
  single('warm-up', 'warm-up', 'request', requests(closed(4, 3), 16, AT_ONCE, { bodyBytes: 400_000 })),
];

/** The same load in a part of its time; a paced one has at least one whole answer. */
export function shortened(load: Load, share: number): Load {
  const shorter = (asked: Requests): Requests => {
    const withinMs = Math.max(asked.arrival.withinMs * share, asked.script.gapMs > 0 ? SPREAD_AND_ANSWER_MS : 0);
    return { ...asked, arrival: { ...asked.arrival, withinMs } };
  };
  return { ...load, requests: shorter(load.requests), ...(load.beside && { beside: shorter(load.beside) }) };
}

const SPREAD_AND_ANSWER_MS = 2_500;
