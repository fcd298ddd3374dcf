import type { AdapterView, JobView, VersionView } from '@slipway/contracts';
import { z } from 'zod';
import { knownFields } from '../mcp-tool.js';
import { adapterText } from './tuning-reference.js';

const Total = z.object({ rule: z.string(), severity: z.enum(['error', 'warning']), count: z.int() });

/** A version as agents see it. */
export const ShownVersion = z.object({
  version: z.int(),
  state: z.string().describe('ready = jobs can use it; invalid = get_dataset_problems says why.'),
  reason: z.string().optional(),
  detail: z.string().optional(),
  progress: z.number().optional().describe('0 to 1 while it is uploaded or checked.'),
  examples: z.int(),
  rejected: z.int(),
  duplicates: z.int(),
  bytes: z.int(),
  format: z.string().optional(),
  problems: z.array(Total).describe('How often each rule applied.'),
  repairs: z.array(z.string()).describe('Repairs that would help.'),
});

/** Shows a version. */
export const shownVersion = (version: VersionView): z.input<typeof ShownVersion> => ({
  version: version.number,
  state: version.state,
  ...knownFields({ reason: version.reason, detail: version.detail, progress: version.progress, format: version.format }),
  examples: version.examples,
  rejected: version.rejected,
  duplicates: version.duplicates,
  bytes: version.bytes,
  problems: version.issues,
  repairs: version.repairs,
});

/** A job as agents see it. */
export const ShownJob = z.object({
  job: z.int(),
  name: z.string(),
  base: z.string(),
  dataset: z.string(),
  version: z.int(),
  state: z.string(),
  reason: z.string().optional(),
  detail: z.string().optional(),
  place: z.int().optional().describe('Place in line.'),
  step: z.int(),
  steps: z.int().optional(),
  progress: z.number().optional(),
  eta_seconds: z.int().optional(),
  loss: z.number().optional(),
  held_loss: z.number().optional().describe('Loss on examples that are not learned.'),
  passed: z.boolean().optional().describe('Whether the adapter passed its gate; get_adapter has the reasons.'),
  adapter: z.string().optional().describe('What it made, as get_adapter and deploy_adapter take it.'),
  adapter_id: z.int().optional(),
  finished_at: z.string().optional(),
});

/** Shows a job. */
export const shownJob = (job: JobView): z.input<typeof ShownJob> => ({
  job: job.id,
  name: job.name,
  base: job.base,
  dataset: job.dataset_name,
  version: job.version,
  state: job.state,
  step: job.step,
  ...knownFields({
    reason: job.reason,
    detail: job.detail,
    place: job.place,
    steps: job.steps,
    progress: job.progress,
    eta_seconds: job.eta_s,
    loss: job.loss,
    held_loss: job.held_loss,
    passed: job.passed,
    adapter_id: job.adapter,
    finished_at: job.finished_at,
  }),
});

const Check = z.object({
  check: z.string(),
  passed: z.boolean().optional().describe('Absent = it could not be made.'),
  detail: z.string(),
});

/** An adapter as agents see it. */
export const ShownAdapter = z.object({
  adapter: z.string().describe('Name and version, as deploy_adapter takes it.'),
  adapter_id: z.int(),
  base: z.string(),
  job: z.int().optional(),
  dataset: z.string().optional(),
  dataset_version: z.int().optional(),
  source_deleted: z.boolean().describe('Whether the data set was deleted meanwhile.'),
  base_state: z.string().optional().describe('there = training workers have its base; changed or absent = new replicas may not get ready.'),
  bytes: z.int(),
  rank: z.int(),
  passed: z.boolean().optional().describe('Whether it passed its gate.'),
  checks: z.array(Check),
  deployments: z.array(z.string()),
  created_at: z.string(),
});

/** Shows an adapter. */
export const shownAdapter = (adapter: AdapterView): z.input<typeof ShownAdapter> => ({
  adapter: adapterText(adapter),
  adapter_id: adapter.id,
  base: adapter.base,
  source_deleted: adapter.source_deleted,
  bytes: adapter.bytes,
  rank: adapter.rank,
  ...knownFields({
    base_state: adapter.base_state,
    job: adapter.job,
    dataset: adapter.dataset_name,
    dataset_version: adapter.dataset_version,
    passed: adapter.verdict?.passed,
  }),
  checks: (adapter.verdict?.checks ?? []).map(({ check, passed, detail }) => ({ check, detail, ...knownFields({ passed }) })),
  deployments: adapter.deployments.map((id) => `deployment-${id}`),
  created_at: adapter.created_at,
});
