import { z } from 'zod';
import { defineEvent, defineRpc, type Role } from './channel.js';
import { Incarnation } from './ids.js';

/** Feed sequence: assigned when a change is relayed, without gaps within one epoch. 0 = before the first change. */
const Sequence = z.int().nonnegative();
/** Random name of one election. A restored database never shows an earlier one again. */
const Epoch = z.string().min(1).max(64);

/** Record types of a union, by the field `type`; null for records of one form. */
function typesOf(record: z.ZodType): ReadonlySet<unknown> | null {
  if (!(record instanceof z.ZodDiscriminatedUnion)) return null;
  const shapes = record.options.map((option) => (option as z.ZodObject<{ type: z.ZodLiteral }>).shape);
  return new Set(shapes.flatMap(({ type }) => [...type.values]));
}

/** A record as readers accept it: undefined for an unknown type. */
function readableRecord<R extends z.ZodType>(record: R): z.ZodType<z.output<R> | undefined, z.input<R>> {
  const types = typesOf(record);
  type Read = z.ZodType<z.output<R> | undefined, z.input<R>>;
  if (types === null) return record as unknown as Read;
  const isNewer = (value: unknown): boolean => {
    const type = typeof value === 'object' && value !== null ? (value as { type?: unknown }).type : undefined;
    return typeof type === 'string' && !types.has(type);
  };
  return z.preprocess((value) => (isNewer(value) ? undefined : value), record.optional()) as unknown as Read;
}

const changeOf = <R extends z.ZodType>(record: R) =>
  z.object({
    epoch: Epoch,
    seq: Sequence.positive(),
    op: z.enum(['put', 'del']),
    /** `<type>:<id>`, such as `key:12`. */
    id: z.string().min(1).max(128),
    /** Version of the record: a change with a lower version than the stored one is ignored. */
    ver: z.int().nonnegative(),
    /** The whole record; absent on `del`. */
    rec: record.optional(),
  });

/** The four contracts of one change feed: two broadcasts without guarantee, and two RPCs that prove freshness. */
export function defineFeed<const N extends string, R extends z.ZodType>(feed: {
  readonly name: N;
  readonly owner: Role;
  readonly readers: readonly Role[];
  readonly record: R;
}) {
  const record = readableRecord(feed.record);
  const change = changeOf(record);
  const { name, owner, readers } = feed;
  const broadcast = { publishers: [owner], subscribers: readers };
  const rpc = { owner, callers: readers, proof: 'role', queue: owner, errors: [], timeoutMs: 1_000 } as const;
  return Object.freeze({
    name,
    owner,
    record: feed.record,
    /** One committed change. May be lost. */
    change: defineEvent({ subject: `${name}.{env}.v1.chg`, ...broadcast, message: change }),
    /** The newest sequence, every 250 ms while changes are committed, else every second. May be lost. */
    tick: defineEvent({ subject: `${name}.{env}.v1.tick`, ...broadcast, message: z.object({ epoch: Epoch, seq: Sequence }) }),
    /** The changes after `seq`. Only this round trip proves freshness. */
    since: defineRpc({
      subject: `${name}.{env}.v1.rpc.since`,
      ...rpc,
      request: z.object({ reader: Incarnation, epoch: Epoch.nullable(), seq: Sequence }),
      reply: z.object({
        epoch: Epoch,
        head: Sequence,
        /** True when committed changes have waited for a sequence for more than 250 ms, so the reply proves nothing. */
        lagging: z.boolean(),
        /** True when the reader must load a snapshot: another epoch, a head below `seq`, or too far behind. */
        snapshot: z.boolean(),
        changes: z.array(change),
      }),
    }),
    /** All records in pages. Every page has the head that was read before the first one. */
    snapshot: defineRpc({
      subject: `${name}.{env}.v1.rpc.snapshot`,
      ...rpc,
      timeoutMs: 2_000,
      request: z.object({ reader: Incarnation, cursor: z.string().max(256).nullable() }),
      reply: z.object({
        epoch: Epoch,
        head: Sequence,
        records: z.array(z.object({ id: z.string(), ver: z.int().nonnegative(), rec: record })),
        /** Pass it back for the next page; null on the last one. */
        cursor: z.string().max(256).nullable(),
      }),
    }),
  });
}

/** A feed of records of type R. */
export type FeedContract<R = unknown> = ReturnType<typeof defineFeed<string, z.ZodType<R>>>;
/** One change of a feed as it is sent. */
export type FeedChange<R> = { epoch: string; seq: number; op: 'put' | 'del'; id: string; ver: number; rec?: R | undefined };

/** Reply fields of changes of keys: whether every gateway already applies the change. */
export const propagatedFields = {
  /** True when every live gateway has confirmed that it applies the change. */
  propagated: z.boolean(),
  /**
   * Live gateways that have not confirmed. Empty with `propagated: false` when the service does not know all gateways: it has
   * just started, or its database does not answer. A gateway applies a change within a second while NATS is up. A gateway
   * without NATS refuses all keys after 3 s.
   */
  missing: z.array(Incarnation),
};

/** The same fields in replies that did not have them in release 0.1. Absent from older replicas. */
export const propagatedFieldsOfNow = { propagated: propagatedFields.propagated.optional(), missing: propagatedFields.missing.optional() };
