import { z } from 'zod';
import { defineEvent } from '../channel.js';
import { DeploymentId, StreamId } from '../ids.js';
import { openEnum } from '../schemas.js';
import { CanonicalRequest } from './canonical-request.js';

/** Version of the stream protocol that this code speaks. */
export const PROTOCOL = '1.0';

/** Headers of a start; frames never carry any. */
export const START_HEADERS = {
  protocol: 'Inf-Proto',
  /** Milliseconds LEFT, so that no two clocks must agree. */
  deadline: 'Inf-Deadline-Ms',
  account: 'Inf-Acct',
  key: 'Inf-Key-Id',
  /** Proves to keys-service that this gateway opened the stream; the worker sends it with its own count. */
  claim: 'Inf-Claim',
  /** `i/n`, zero-based, on a start that is sent in parts. */
  part: 'Inf-Part',
  /** Hex SHA-256 of the whole body, on part 0. */
  digest: 'Inf-Sha256',
} as const;

/** Largest start sent in one message, in bytes; NATS refuses messages of 1 MiB, headers included. */
export const INLINE_START_BYTES = 900 * 1024;
/** Size of one part of a larger start, in bytes. */
export const START_PART_BYTES = 512 * 1024;
/** Largest start at all, in bytes. */
export const MAX_START_BYTES = 33 * 1024 * 1024;

/** The public contracts of requests. */
export const PUBLIC_APIS = ['chat', 'messages', 'responses', 'embeddings'] as const;
/** A public contract by its word in messages and in the ledger. */
export type PublicApi = (typeof PUBLIC_APIS)[number];

/** Asks the chosen worker to generate. Frames go to the message's reply subject. */
export const Start = defineEvent({
  subject: 'inf.{env}.v1.w.{wk}.start',
  publishers: ['gateway'],
  subscribers: ['worker', 'runner'],
  message: z.object({
    st: StreamId,
    /** Number of the attempt: increases with every start sent for `st`. */
    at: z.int().positive(),
    dep: DeploymentId,
    rev: z.int().positive(),
    /**
     * `count` asks for the number of prompt tokens, `embed` for a vector of each message, which holds one text. A worker treats any
     * other word as a generation. Only workers that report the capability `embed` get such a start.
     */
    api: openEnum([...PUBLIC_APIS, 'count', 'embed']),
    req: CanonicalRequest,
    /** The gateway reads several frames in one message (`FrameBatch`). Absent from gateways up to 0.1.0. */
    batch: z.boolean().optional(),
    /** The client gets its answer in one piece, so texts may wait for one another for up to a heartbeat. */
    whole: z.boolean().optional(),
    /** Always empty, and no reader needs it: workers of release 0.1 require it. The next release stops sending it. */
    caps: z.array(z.string()).optional(),
  }),
});
export type Start = z.infer<typeof Start.message>;
