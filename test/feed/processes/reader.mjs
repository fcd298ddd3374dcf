import { FeedReader } from '@slipway/feed';
import { connectNats, createLogger } from '@slipway/platform';
import { deafConnection } from './deaf-connection.mjs';
import { machineNow } from './machine-now.mjs';
import { ProbeFeed } from './probe-feed.mjs';

/** Starts a reader of the probe feed, and returns what it can be asked. */
export async function startReader({ natsUrl, reader, env, level, deaf }) {
  const log = createLogger('reader', level);
  const ears = { ...deaf };
  const nats = await connectNats({ url: natsUrl, role: 'gateway', name: reader, log });

  const known = new Map();
  let swaps = 0;
  const sink = {
    replaceAll: (records) => {
      swaps += 1;
      known.clear();
      for (const { id, rec } of records) known.set(id, rec.n);
    },
    put: (id, { n }) => known.set(id, n),
    remove: (id) => known.delete(id),
  };
  const feed = new FeedReader({ contract: ProbeFeed, nats: deafConnection(nats, ears), env, reader, sink, log });

  // What a request at this moment would see, with the first and the last moment at which it did: a frozen process serves none.
  const seen = [];
  let last = '';
  const sample = () => {
    const { state } = feed.freshness();
    const things = Object.fromEntries(known);
    const text = JSON.stringify([state, things]);
    const at = machineNow();
    if (text !== last) seen.push({ from: at, to: at, state, things });
    seen.at(-1).to = at;
    last = text;
  };
  const sampling = setInterval(sample, 2);
  feed.start();

  return {
    now: () => {
      sample();
      return { ...feed.freshness(), place: feed.place, things: Object.fromEntries(known), swaps };
    },
    seen: () => {
      sample();
      return seen;
    },
    ears: (change) => void Object.assign(ears, change),
    stop: async () => {
      clearInterval(sampling);
      await feed.stop();
      await nats.close();
    },
  };
}
