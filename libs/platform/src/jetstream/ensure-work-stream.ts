import { type WorkStream, workStreamName, workStreamSubjects } from '@slipway/contracts';
import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  jetstreamManager,
  ReplayPolicy,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';

/** Where a stream is created, and its number of replicas. */
export interface EnsureOptions {
  /** A connection of the role `boot`. */
  readonly nats: NatsConnection;
  readonly env: string;
  /** Servers that store the stream: 3 in a cluster. Absent = unchanged; 1 for a new stream. */
  readonly replicas?: number | undefined;
  /** True = what exists is left as it is. */
  readonly missingOnly?: boolean | undefined;
  /** Timeout of each JetStream call, in milliseconds. */
  readonly timeoutMs: number;
}

/** Most unacknowledged events over all replicas of the role. */
const ACK_PENDING_MAX = 4_000;
const NANOSECONDS = 1_000_000;

const streamConfig = (stream: WorkStream, env: string) => ({
  subjects: workStreamSubjects(stream, env),
  retention: RetentionPolicy.Workqueue,
  storage: StorageType.File,
  discard: DiscardPolicy.New,
  max_bytes: stream.bytesMax,
  max_msgs: -1,
  max_age: 0,
  max_consumers: -1,
});

const consumerConfig = ({ worker, ackWaitMs }: WorkStream) => ({
  durable_name: worker,
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.All,
  replay_policy: ReplayPolicy.Instant,
  max_deliver: -1,
  ack_wait: ackWaitMs * NANOSECONDS,
  max_ack_pending: ACK_PENDING_MAX,
});

const NOT_FOUND: readonly number[] = [JetStreamApiCodes.StreamNotFound, JetStreamApiCodes.ConsumerNotFound];

/** Info of a stream or consumer; null where there is none. */
export async function existing<T>(info: Promise<T>): Promise<T | null> {
  try {
    return await info;
  } catch (error) {
    if (error instanceof JetStreamApiError && NOT_FOUND.includes(error.code)) return null;
    throw error;
  }
}

/**
 * Creates or updates a stream and its consumer. Repeatable; stored events are kept.
 * @throws JetStreamApiError when JetStream refuses, JetStreamError when there is no JetStream, TimeoutError after `timeoutMs`.
 */
export async function ensureWorkStream(stream: WorkStream, { nats, env, replicas, missingOnly, timeoutMs }: EnsureOptions): Promise<void> {
  const { streams, consumers } = await jetstreamManager(nats, { timeout: timeoutMs, checkAPI: false });
  const name = workStreamName(stream, env);
  const known = await existing(streams.info(name));
  const config = { ...streamConfig(stream, env), num_replicas: replicas ?? known?.config.num_replicas ?? 1 };
  if (!known) await streams.add({ name, ...config });
  else if (!missingOnly) await streams.update(name, config);
  const consumer = consumerConfig(stream);
  // `add` fails where the consumer exists with other limits.
  if (!(await existing(consumers.info(name, stream.worker)))) await consumers.add(name, consumer);
  else if (!missingOnly) await consumers.update(name, stream.worker, consumer);
}
