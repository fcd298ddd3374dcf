import { setTimeout as delay } from 'node:timers/promises';
import { VALUE_STORES, WORK_STREAMS } from '@slipway/contracts';
import { connectNats, createLogger, ensureValueStore, ensureWorkStream, hasCredentials, natsTlsOf } from '@slipway/platform';

/** How long the connection may take, in milliseconds. */
const CONNECTED_WITHIN_MS = 5_000;
const CALL_MS = 5_000;

type Variable = (name: string) => string | undefined;

const MAKE = 'run deploy/make-streams.mjs before services start, as compose, the chart and npm start do.';

/**
 * Makes the streams of JetStream that are missing, where the environment names NATS and has the credentials of `boot`.
 * @returns what is left to do; null = nothing
 */
export async function ensureStreams(variable: Variable, env: string): Promise<string | null> {
  const [url, credentialsDir] = [variable('NATS_URL'), variable('NATS_CREDENTIALS_DIR')];
  if (!url) return `The streams were not looked at, for want of NATS_URL: ${MAKE}`;
  if (credentialsDir && !(await hasCredentials(credentialsDir, 'boot'))) {
    return `The streams were not looked at, for want of credentials of boot: ${MAKE}`;
  }
  const tls = natsTlsOf({ NATS_CA: variable('NATS_CA'), NATS_CERT: variable('NATS_CERT'), NATS_KEY: variable('NATS_KEY') });
  const log = createLogger('cli', 'silent');
  const options = { url, credentialsDir: credentialsDir || undefined, tls, role: 'boot', name: 'slipway-restore', log } as const;
  try {
    const opening = connectNats(options);
    const nats = await Promise.race([opening, delay(CONNECTED_WITHIN_MS, null, { ref: false })]);
    if (!nats) return `The streams were not looked at, because NATS does not answer: ${MAKE}`;
    const place = { nats, env, timeoutMs: CALL_MS };
    try {
      for (const stream of WORK_STREAMS) await ensureWorkStream(stream, place);
      for (const store of VALUE_STORES) await ensureValueStore(store, place);
    } finally {
      await nats.close();
    }
    return null;
  } catch (error) {
    return `The streams could not be made (${error instanceof Error ? error.message : String(error)}): ${MAKE}`;
  }
}
