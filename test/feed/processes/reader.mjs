import { FeedReader } from '@slipway/feed';
import { connectNats, createLogger } from '@slipway/platform';
import { deafConnection } from './deaf-connection.mjs';
import { machineNow } from './machine-now.mjs';
import { ProbeFeed } from './probe-feed.mjs';

/** All records, and the number of loaded snapshots. */
class ProbeSink {
  known = new Map();
  swaps = 0;

  renew() {
    const things = new Map();
    return {
      put: (id, { n }) => things.set(id, n),
      swap: () => {
        this.swaps += 1;
        this.known = things;
      },
    };
  }

  put(id, { n }) {
    this.known.set(id, n);
  }

  remove(id) {
    this.known.delete(id);
  }
}

/** Starts a reader of the probe feed, and returns its commands. */
export async function startReader({ natsUrl, reader, env, level, deaf }) {
  const log = createLogger('reader', level);
  const ears = { ...deaf };
  const nats = await connectNats({ url: natsUrl, role: 'gateway', name: reader, log });

  const sink = new ProbeSink();
  const feed = new FeedReader({ contract: ProbeFeed, nats: deafConnection(nats, ears), env, reader, sink, log });

  // What a request would get now, with the first and last time it did. A frozen process serves no request.
  const seen = [];
  let last = '';
  const sample = () => {
    const { state } = feed.freshness();
    const things = Object.fromEntries(sink.known);
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
      return { ...feed.freshness(), place: feed.place, things: Object.fromEntries(sink.known), swaps: sink.swaps };
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
