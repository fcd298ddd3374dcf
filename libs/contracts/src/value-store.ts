import type { Role } from './channel.js';

/**
 * Values that one role keeps on JetStream for a time, in memory: a bucket of NATS's key-value store. Any replica of the role reads
 * what another one wrote.
 */
export interface ValueStore {
  readonly name: string;
  /** The role whose replicas read and write the values. */
  readonly role: Role;
  /** Size limit of all values in bytes. A full store drops the oldest ones. */
  readonly bytesMax: number;
  /** Lifetime of a value in milliseconds. */
  readonly ageMs: number;
}

const bucketOf = ({ name }: ValueStore, env: string): string => `${name}_${env}`;

/** JetStream's name of the store's stream in an environment. */
export const valueStoreName = (store: ValueStore, env: string): string => `KV_${bucketOf(store, env)}`;

/** Subject of a key, or of all keys that a key with wildcards matches. */
export const valueSubject = (store: ValueStore, env: string, key: string): string => `$KV.${bucketOf(store, env)}.${key}`;

/**
 * Subjects that the role may publish: values, questions for the last value of a key to any member of a cluster or to its leader, and
 * the removal of values.
 */
export const valueStorePermissions = (store: ValueStore, env: string): string[] => [
  valueSubject(store, env, '>'),
  `$JS.API.DIRECT.GET.${valueStoreName(store, env)}.>`,
  `$JS.API.STREAM.MSG.GET.${valueStoreName(store, env)}`,
  `$JS.API.STREAM.PURGE.${valueStoreName(store, env)}`,
];
