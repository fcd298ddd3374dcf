import { expect, it } from 'vitest';
import { byDay } from './event-feed.js';

it('events of one day stand together, newest first as given', () => {
  const events = ['2026-11-21T23:59:59Z', '2026-11-21T00:00:00Z', '2026-11-20T23:59:59Z'].map((at) => ({ at }));
  expect(byDay(events, 'utc')).toEqual([
    { day: 'Saturday 21 November 2026', events: [events[0], events[1]] },
    { day: 'Friday 20 November 2026', events: [events[2]] },
  ]);
  expect(byDay([], 'utc')).toEqual([]);
});
