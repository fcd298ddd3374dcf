import { type WorkStream, workStreamName, workStreamSubjects } from '@slipway/contracts';
import type { NatsConnection } from '@nats-io/transport-node';
import { z } from 'zod';
import { askJetStream, JetStreamError } from './stream-api.js';

/** What it takes to create a work stream, or to bring one up to date. */
export interface EnsureOptions {
  readonly nats: NatsConnection;
  readonly env: string;
  /** Servers that keep a copy: 3 in a cluster. Absent = as many as do already, 1 for a new stream. */
  readonly replicas?: number | undefined;
  readonly timeoutMs: number;
}

const Existing = z.object({ config: z.object({ num_replicas: z.int().positive() }) });

const NOT_FOUND = 404;
/** Events that may be with the replicas unconfirmed; more wait. */
const ACK_PENDING_MAX = 4_000;
const NANOSECONDS = 1_000_000;

const streamConfig = (stream: WorkStream, env: string, replicas: number): object => ({
  name: workStreamName(stream, env),
  subjects: workStreamSubjects(stream, env),
  retention: 'workqueue',
  storage: 'file',
  discard: 'new',
  max_bytes: stream.bytesMax,
  max_msgs: -1,
  max_age: 0,
  max_consumers: -1,
  num_replicas: replicas,
});

const consumerConfig = ({ worker, ackWaitMs }: WorkStream): object => ({
  durable_name: worker,
  ack_policy: 'explicit',
  deliver_policy: 'all',
  replay_policy: 'instant',
  max_deliver: -1,
  ack_wait: ackWaitMs * NANOSECONDS,
  max_ack_pending: ACK_PENDING_MAX,
});

/**
 * Makes a stream and its consumer, or brings those that exist up to date, as the user that may. Repeating it is harmless, and
 * nothing that is kept is lost.
 * @throws JetStreamError when JetStream refuses; the client's errors where it does not answer in time.
 */
export async function ensureWorkStream(stream: WorkStream, options: EnsureOptions): Promise<void> {
  const { nats, env, timeoutMs } = options;
  const name = workStreamName(stream, env);
  const ask = (call: string, request: object | string): Promise<unknown> => askJetStream(nats, `$JS.API.${call}`, request, timeoutMs);
  const replicas = await ask(`STREAM.INFO.${name}`, '').then(
    (info) => Existing.parse(info).config.num_replicas,
    (error: unknown) => {
      if (error instanceof JetStreamError && error.code === NOT_FOUND) return null;
      throw error;
    },
  );
  await ask(`STREAM.${replicas === null ? 'CREATE' : 'UPDATE'}.${name}`, streamConfig(stream, env, options.replicas ?? replicas ?? 1));
  const config = consumerConfig(stream);
  await ask(`CONSUMER.DURABLE.CREATE.${name}.${stream.worker}`, { stream_name: name, config });
}
