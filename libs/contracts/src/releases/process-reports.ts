import { z } from 'zod';
import { defineEvent, type Role } from '../channel.js';
import { Incarnation } from '../ids.js';

/** Roles of the processes that report. A runner belongs to its agent. */
const REPORTING = ['gateway', 'worker', 'agent', 'keys', 'deployments', 'console', 'tuning', 'trainer'] as const satisfies readonly Role[];

/** Asks all processes for a report, which each of them sends at once. */
export const AskProcesses = defineEvent({
  subject: 'sys.{env}.v1.who',
  publishers: ['ops'],
  subscribers: REPORTING,
  message: z.object({}),
});

/**
 * What a process is, for an operator who asked. Nothing is decided by it. NATS lets each role publish under its own name
 * alone, so the subject proves the role.
 */
export const ProcessReport = defineEvent({
  subject: 'sys.{env}.v1.report.{role}.{wk}',
  publishers: REPORTING,
  subscribers: ['ops'],
  message: z.object({
    wk: Incarnation,
    host: z.string().max(256),
    release: z.string().min(1).max(40),
    /** Version of the stream protocol. */
    protocol: z.string().max(32),
    level: z.int().nonnegative(),
    /** What /readyz says; null = ready. */
    not_ready: z.string().max(1_000).nullable(),
  }),
});
export type ProcessReport = z.infer<typeof ProcessReport.message>;
