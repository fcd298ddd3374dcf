// Makes the JetStream streams and value stores that services publish to, as the NATS user `boot`, and leaves. Streams
// that exist are brought up to date and keep what they hold; with --missing they are left as they are. Reads NATS_URL, NATS_CREDENTIALS_DIR,
// NATS_CA, NATS_CERT, NATS_KEY and SLIPWAY_ENV; a stream has as many copies as NATS_URL names servers, three at most.
import { setTimeout as delay } from 'node:timers/promises';
import { VALUE_STORES, WORK_STREAMS } from '@slipway/contracts';
import { connectNats, createLogger, ensureValueStore, ensureWorkStream, isTooLarge, natsTlsOf } from '@slipway/platform';

const { NATS_URL: url = '', NATS_CREDENTIALS_DIR: credentialsDir, SLIPWAY_ENV: env = 'dev' } = process.env;
/** A cluster that has just been started elects its leaders first. */
const PATIENCE_MS = 120_000;
const missingOnly = process.argv.includes('--missing');
const replicas = Math.min(3, url.split(',').length);
const log = createLogger('make-streams', 'warn');

async function make(ensure, nats) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await ensure({ nats, env, replicas, missingOnly, timeoutMs: 5_000 });
    } catch (error) {
      if (Date.now() > end || isTooLarge(error)) throw error;
      // A server that does not hear the leader may say so for ever, while the others know it: the next one is asked.
      await nats.reconnect();
      await delay(1_000);
    }
  }
}

try {
  const nats = await connectNats({ url, credentialsDir, tls: natsTlsOf(process.env), role: 'boot', name: 'make-streams', log });
  for (const stream of WORK_STREAMS) await make((place) => ensureWorkStream(stream, place), nats);
  for (const store of VALUE_STORES) {
    await make((place) => ensureValueStore(store, place), nats).catch((/** @type {unknown} */ error) => {
      if (!(error instanceof Error) || !isTooLarge(error)) throw error;
      console.error(`NATS allows too little memory for the store "${store.name}"; nothing is stored in it: ${error.message}`);
    });
  }
  await nats.close();
  console.log(`The streams of the environment "${env}" are there, with ${replicas} ${replicas === 1 ? 'copy' : 'copies'}.`);
} catch (error) {
  console.error(`The streams could not be made: ${error.message}`);
  process.exit(1);
}
