import { z } from 'zod';
import { defineEvent, defineRpc, type Role } from './channel.js';
import { Incarnation } from './ids.js';

/** Feed sequence: given at relay time, without holes, within one epoch. 0 = before the first change. */
const Sequence = z.int().nonnegative();
/** Random name of one ownership of the feed's advisory lock; a restored database can never show an old one. */
const Epoch = z.string().min(1).max(64);

/** Record types of a union, by the field `type`; null for records of one form. */
function typesOf(record: z.ZodType): ReadonlySet<unknown> | null {
  if (!(record instanceof z.ZodDiscriminatedUnion)) return null;
  const shapes = record.options.map((option) => (option as z.ZodObject<{ type: z.ZodLiteral }>).shape);
  return new Set(shapes.flatMap(({ type }) => [...type.values]));
}

/** A record as readers take it: undefined for one of a type that only newer versions know. */
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
    /** Version of the record: a change older than what is known changes nothing. */
    ver: z.int().nonnegative(),
    /** The whole record; absent on `del`. */
    rec: record.optional(),
  });

/** The four exchanges of one change feed: two hints, and the two questions that prove freshness. */
export function defineFeed<const N extends string, R extends z.ZodType>(feed: {
  readonly name: N;
  readonly owner: Role;
  readonly readers: readonly Role[];
  readonly record: R;
}) {
  const record = readableRecord(feed.record);
  const change = changeOf(record);
  const { name, owner, readers } = feed;
  const hint = { publishers: [owner], subscribers: readers };
  const question = { owner, callers: readers, proof: 'role', queue: owner, errors: [], timeoutMs: 1_000 } as const;
  return Object.freeze({
    name,
    owner,
    record: feed.record,
    /** One committed change. A hint: it may be lost. */
    change: defineEvent({ subject: `${name}.{env}.v1.chg`, ...hint, message: change }),
    /** The head, every 250 ms while something changes and every second at rest. A hint. */
    tick: defineEvent({ subject: `${name}.{env}.v1.tick`, ...hint, message: z.object({ epoch: Epoch, seq: Sequence }) }),
    /** "What came after `seq`?" Only this round trip proves freshness. */
    since: defineRpc({
      subject: `${name}.{env}.v1.rpc.since`,
      ...question,
      request: z.object({ reader: Incarnation, epoch: Epoch.nullable(), seq: Sequence }),
      reply: z.object({
        epoch: Epoch,
        head: Sequence,
        /** Committed changes have waited for a sequence for more than 250 ms: this answer proves nothing. */
        lagging: z.boolean(),
        /** Another epoch, a head below `seq`, or too far behind: only the snapshot helps. */
        snapshot: z.boolean(),
        changes: z.array(change),
      }),
    }),
    /** All records in pages. Every page carries the head that was read before the first one. */
    snapshot: defineRpc({
      subject: `${name}.{env}.v1.rpc.snapshot`,
      ...question,
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
/** One change of a feed as it travels. */
export type FeedChange<R> = { epoch: string; seq: number; op: 'put' | 'del'; id: string; ver: number; rec?: R | undefined };

/** Whether every gateway already applies a committed change: part of the replies to changes of keys. */
export const propagatedFields = {
  /** True when every live gateway has confirmed that it applies the change. */
  propagated: z.boolean(),
  /**
   * The live gateways that have not confirmed. Empty besides `propagated: false` when the service
   * cannot know all of them: it has just started, or its database does not answer.
   * A gateway applies the change within a second while NATS is up; one that is cut off refuses all keys within 3 s.
   */
  missing: z.array(Incarnation),
};

/** The same in replies that did not have it in release 0.1. Absent from older replicas. */
export const propagatedFieldsOfNow = { propagated: propagatedFields.propagated.optional(), missing: propagatedFields.missing.optional() };
