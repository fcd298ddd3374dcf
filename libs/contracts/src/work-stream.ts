import { type EventContract, type Role, wildcardOf } from './channel.js';

/**
 * Events that are kept on JetStream until one role has worked them off: each arrives at least once, however long that role
 * is away. Its publishers are those of its events; they wait for the server's word that an event is kept.
 */
export interface WorkStream {
  readonly name: string;
  readonly events: readonly EventContract[];
  /** Its replicas share the work. */
  readonly worker: Role;
  /** What it keeps at most, in bytes. When it is full it takes nothing more: publishers hold what they have. */
  readonly bytesMax: number;
  /** An event that was taken and not confirmed within this time goes to another replica, in milliseconds. */
  readonly ackWaitMs: number;
}

/** JetStream's name of a stream in an environment; its one consumer has the name of the role that works it off. */
export const workStreamName = ({ name }: WorkStream, env: string): string => `${name}_${env}`;

/** What JetStream is to capture. */
export const workStreamSubjects = ({ events }: WorkStream, env: string): string[] => events.map((event) => wildcardOf(event, { env }));

/**
 * What the role that works a stream off may publish besides: pull requests for its one consumer, and acknowledgements. It asks
 * nothing else of JetStream, not even whether its consumer exists.
 */
export const workStreamPermissions = (stream: WorkStream, env: string): string[] => [
  `$JS.API.CONSUMER.MSG.NEXT.${workStreamName(stream, env)}.${stream.worker}`,
  `$JS.ACK.${workStreamName(stream, env)}.${stream.worker}.>`,
];
