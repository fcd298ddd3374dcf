import { type EventContract, type Role, wildcardOf } from './channel.js';

/**
 * Events stored on JetStream until one role has processed them: each is delivered at least once, however long that role is away.
 * Publishers wait for the server's acknowledgement that an event is stored.
 */
export interface WorkStream {
  readonly name: string;
  readonly events: readonly EventContract[];
  /** The role whose replicas process the events. */
  readonly worker: Role;
  /** Size limit in bytes. A full stream refuses new events, and publishers keep theirs. */
  readonly bytesMax: number;
  /** Time after which an unacknowledged event goes to another replica, in milliseconds. */
  readonly ackWaitMs: number;
}

/** JetStream's name of a stream in an environment. Its one consumer is named for the processing role. */
export const workStreamName = ({ name }: WorkStream, env: string): string => `${name}_${env}`;

/** Subjects that the stream captures. */
export const workStreamSubjects = ({ events }: WorkStream, env: string): string[] => events.map((event) => wildcardOf(event, { env }));

/**
 * Subjects that the processing role may publish: pull requests for its consumer, and acknowledgements. It needs no other
 * JetStream API.
 */
export const workStreamPermissions = (stream: WorkStream, env: string): string[] => [
  `$JS.API.CONSUMER.MSG.NEXT.${workStreamName(stream, env)}.${stream.worker}`,
  `$JS.ACK.${workStreamName(stream, env)}.${stream.worker}.>`,
];
