import { FIGURES } from './capacity-figures.mjs';

const US = 1_000_000;
const MIB = 1_048_576;
/** Entries that a Map of V8 can have: keys of one gateway. */
const MAP_MAX = 2 ** 24;
/** Share of a core that a gateway may spend on heartbeats before workers are better split. */
const HEARTBEAT_SHARE_MAX = 0.2;
/** What one nats-server should send at most, in bytes a second: half of 10 Gbit/s. */
const NATS_BYTES_MAX = 625_000_000;
/** Longest start of a gateway, in seconds. */
const START_MAX_S = 30;

/** Defaults of `plan`. */
export const DEFAULTS = { streams: 1_000, tokensPerSecond: 40, tokens: 300, slots: 32, keys: 10_000, load: 0.6 };

/**
 * How much of each process a load takes.
 * @param {Partial<typeof DEFAULTS> & { runners?: number, gateways?: number }} wanted streams at once, tokens a second of each, tokens
 *   of an answer, streams of one runner, keys, and the share of a core that may be used. `runners` and `gateways` are computed unless given.
 */
export function plan(wanted) {
  const given = { ...DEFAULTS, ...wanted };
  const tokens = given.streams * given.tokensPerSecond;
  const rate = { tokens, requests: tokens / given.tokens };
  const runners = given.runners ?? Math.ceil(given.streams / given.slots);
  const gateways = given.gateways ?? gatewaysFor(rate, runners, given.load);
  const cores = coresOf(rate, { runners, gateways, load: given.load });
  const deliveries = runners * gateways;
  return {
    ...given,
    ...rate,
    runners,
    gateways,
    cores,
    deliveries,
    memory: memoryOf(given, gateways),
    warnings: warningsOf(given, runners, deliveries),
  };
}

/** Processor time a second of one process, in microseconds. */
const usOf = ({ tokens, requests }, process) => tokens * FIGURES.token[process] + requests * FIGURES.request[process];

/** Each gateway is one thread, and hears all runners. One more, so that one may leave. */
function gatewaysFor(rate, runners, load) {
  const room = load * US - runners * FIGURES.heartbeat.gateway;
  return room <= 0 ? Number.POSITIVE_INFINITY : Math.ceil(usOf(rate, 'gateway') / room) + 1;
}

function coresOf(rate, { runners, gateways, load }) {
  const heard = { gateway: runners * gateways * FIGURES.heartbeat.gateway, nats: runners * gateways * FIGURES.delivery.nats };
  const processes = ['gateway', 'worker', 'nats', 'services', 'postgres'];
  return Object.fromEntries(processes.map((name) => [name, (usOf(rate, name) + (heard[name] ?? 0)) / US / load]));
}

function memoryOf({ streams, keys }, gateways) {
  const { rest, key, stream } = FIGURES;
  return { gateway: rest.gateway + (keys * key.bytes + (streams / Math.max(1, gateways - 1)) * stream.bytes) / MIB };
}

function warningsOf({ keys }, runners, deliveries) {
  const bytes = deliveries * FIGURES.heartbeat.bytes;
  const startS = (keys * FIGURES.key.loadUs) / US;
  return [
    keys > MAP_MAX && `${keys} keys: a gateway holds ${MAP_MAX} at most; split tenants over environments`,
    startS > START_MAX_S && `a gateway loads its keys for ${Math.round(startS)} s; start few at a time, or split tenants over environments`,
    (runners * FIGURES.heartbeat.gateway) / US > HEARTBEAT_SHARE_MAX &&
      `${runners} runners: heartbeats alone fill each gateway; split workers over environments`,
    bytes > NATS_BYTES_MAX &&
      `heartbeats are ${Math.round(bytes / 1e6)} MB a second in all; spread gateways over ${Math.ceil(bytes / NATS_BYTES_MAX)} nats-servers or more`,
  ].filter((text) => text !== false);
}
