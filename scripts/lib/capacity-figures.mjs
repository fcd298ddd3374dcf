/**
 * What work costs, each figure with where it was measured. `rows` are processor time in microseconds by process. All are of two
 * cores of an AMD EPYC; yours differ, so run `npm run bench` and put your own here.
 */
export const FIGURES = {
  /** One request without its tokens. */
  request: { gateway: 247, worker: 262, nats: 81, services: 80, postgres: 21, source: 'performance.md, short request, 10 at once' },
  /** One token of a stream beside 300 others. With fewer streams it costs more: 461 µs in all with 8. */
  token: { gateway: 33, worker: 33, nats: 5, services: 2.9, postgres: 1, source: 'performance.md, token of 300 streams' },
  /** A runner's heartbeat, each second, at each gateway. */
  heartbeat: { gateway: 4, bytes: 179, source: 'capacity-probe.mjs, busy machine' },
  /** One message that nats-server hands to one more reader. */
  delivery: { nats: 0.45, source: 'capacity-probe.mjs, 40 readers, busy machine' },
  /** One key in a gateway: bytes, and time to load it by the clock. */
  key: { bytes: 461, loadUs: 15, source: 'performance.md, 100,000 keys' },
  /** A stream that waits, in all processes, with the room that heaps take; here all of it counts for the gateway. */
  stream: { bytes: 86 * 1_024, source: 'performance.md, memory of an idle stream' },
  /** Memory at rest, in MiB. */
  rest: { gateway: 61, worker: 58, nats: 21, services: 86, postgres: 49, source: 'performance.md, at rest' },
};
