import { FeedReader } from '@slipway/feed';
import { connectNats, createLogger } from '@slipway/platform';
import { answer, machineNow } from './answer.mjs';
import { deafConnection } from './deaf-connection.mjs';
import { ENV, ProbeFeed } from './probe-feed.mjs';

const { natsUrl, reader, level, deaf } = JSON.parse(process.argv[2]);
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
const feed = new FeedReader({ contract: ProbeFeed, nats: deafConnection(nats, ears), env: ENV, reader, sink, log });

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
setInterval(sample, 2);
feed.start();

answer({
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
    await feed.stop();
    await nats.drain();
    setTimeout(() => process.exit(0), 20);
  },
});
