import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId } from '../ids.js';
import { eachReadable } from '../schemas.js';
import { tuningRead } from './datasets.js';
import { Sha256 } from './tuning-ids.js';

/** A model that training workers can train adapters for. */
export const BaseView = z.object({
  /** Its name: unique among bases, such as `svc-tiny.q8_0`. */
  base: z.string().min(1).max(200),
  architecture: z.string().max(64),
  /** Null = unknown. */
  parameters: z.int().nonnegative().nullable(),
  /** Tokens of the longest example. */
  context: z.int().positive(),
  bytes: z.int().nonnegative(),
  /** SHA-256 of the whole file. */
  sha256: Sha256,
  template_sha256: Sha256,
  tokenizer_sha256: Sha256,
  /** Source for create-deployment: the path of its file on the workers. */
  path: z.string().min(1).max(4_096),
  /** Trainers that can train it now. Empty = no connected worker can; `detail` says what to do. */
  trainers: z.array(z.string().max(64)).max(16),
  detail: z.string().max(500).nullable(),
  /** Slots of workers that have it. */
  slots: z.int().nonnegative(),
});
export type BaseView = z.infer<typeof BaseView>;

/** Bases that connected training workers have, by name. */
export const ListBases = defineRpc({
  subject: 'tun.{env}.v1.rpc.list-bases',
  ...tuningRead,
  request: z.object({ account: AccountId }),
  reply: z.object({
    bases: eachReadable(BaseView, 1_000),
    /** Connected training workers. */
    workers: z.int().nonnegative(),
  }),
  errors: [],
});
