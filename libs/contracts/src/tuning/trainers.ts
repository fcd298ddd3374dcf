import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { Incarnation } from '../ids.js';
import { eachReadable } from '../schemas.js';
import { TrainerFacts, TrainerHeartbeat } from './training.js';

const { host, slots, disk_free, draining } = TrainerHeartbeat.message.shape;

/** A connected training worker with its trainers. */
export const TrainingWorkerView = z.object({
  tw: Incarnation,
  host,
  slots,
  trainers: eachReadable(TrainerFacts, 16),
  /** Names of the bases that it has. */
  bases: z.array(z.string().max(200)).max(500),
  disk_free,
  draining,
});
export type TrainingWorkerView = z.infer<typeof TrainingWorkerView>;

/** Connected training workers by their names; at most 100. For operators. */
export const ListTrainers = defineRpc({
  subject: 'tun.{env}.v1.rpc.list-trainers',
  owner: 'tuning',
  callers: ['ops'],
  queue: 'tuning',
  request: z.object({}),
  reply: z.object({
    workers: eachReadable(TrainingWorkerView, 100),
    /** All that are connected. */
    total: z.int().nonnegative(),
  }),
  errors: [],
  timeoutMs: 3_000,
});
