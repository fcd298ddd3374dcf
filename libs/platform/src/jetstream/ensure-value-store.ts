import { type ValueStore, valueStoreName, valueSubject } from '@slipway/contracts';
import { DiscardPolicy, JetStreamApiError, jetstreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import type { EnsureOptions } from './ensure-work-stream.js';
import { existing } from './ensure-work-stream.js';

const NANOSECONDS = 1_000_000;
/** Window of duplicate detection, in nanoseconds: values need none, and a stream's is at most its age. */
const DUPLICATES = 1_000 * NANOSECONDS;

const streamConfig = (store: ValueStore, env: string) => ({
  subjects: [valueSubject(store, env, '>')],
  retention: RetentionPolicy.Limits,
  storage: StorageType.Memory,
  discard: DiscardPolicy.Old,
  max_bytes: store.bytesMax,
  max_msgs: -1,
  max_msgs_per_subject: 1,
  max_age: store.ageMs * NANOSECONDS,
  max_consumers: -1,
  duplicate_window: DUPLICATES,
  deny_delete: true,
  allow_direct: true,
});

/** JetStream's code of a server that has too little memory or disk for a stream. */
const NO_RESOURCES = [10_023, 10_028, 10_047];

/** True for the refusal of a store that is larger than the server's configuration allows. */
export const isTooLarge = (error: unknown): boolean => error instanceof JetStreamApiError && NO_RESOURCES.includes(error.code);

/**
 * Creates or updates the stream of a value store. Repeatable; stored values are kept.
 * @throws JetStreamApiError when JetStream refuses, JetStreamError when there is no JetStream, TimeoutError after `timeoutMs`.
 */
export async function ensureValueStore(store: ValueStore, { nats, env, replicas, missingOnly, timeoutMs }: EnsureOptions): Promise<void> {
  const { streams } = await jetstreamManager(nats, { timeout: timeoutMs, checkAPI: false });
  const name = valueStoreName(store, env);
  const known = await existing(streams.info(name));
  const config = { ...streamConfig(store, env), num_replicas: replicas ?? known?.config.num_replicas ?? 1 };
  if (!known) await streams.add({ name, ...config });
  else if (!missingOnly) await streams.update(name, config);
}
