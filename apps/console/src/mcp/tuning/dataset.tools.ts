import {
  AddExamples,
  CreateDataset,
  DatasetKind,
  DATASET_FORMATS,
  DATASET_REPAIRS,
  DeleteDataset,
  type DatasetId,
  ImportDataset,
  isServiceError,
  ListDatasets,
  MeasureDataset,
  OpenUpload,
  RepairVersion,
  TuningName,
} from '@slipway/contracts';
import { z } from 'zod';
import { requireConfirmation } from '../deployment-reference.js';
import { defineTool, knownFields, READS, type ToolCall } from '../mcp-tool.js';
import { pageOutput, readCursor, writeCursor } from '../page-cursor.js';
import { afterVersion } from './next-steps.js';
import { cursorInput, DatasetRef, datasetIdOf, openDataset, versionOf } from './tuning-reference.js';
import { ShownVersion, shownVersion } from './tuning-views.js';

const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/)
  .describe('Your own name for this call, so that a repetition has no further effect.');

const Listed = z.object({
  name: z.string(),
  kind: z.string(),
  agent_access: z.string().describe('What you may read: none, stats or examples.'),
  versions: z.int(),
  ready_version: z.int().optional(),
  newest: ShownVersion.optional(),
});

export const listDatasets = defineTool({
  name: 'list_datasets',
  title: 'List data sets',
  description: 'Lists the data sets of the account by name. get_dataset shows one with its versions.',
  hints: READS,
  input: z.object({ query: z.string().max(63).optional().describe('Only those whose name contains this.'), ...cursorInput }),
  output: z.object({ datasets: z.array(Listed), ...pageOutput }),
  run: async ({ query: search, cursor }, { rpc, caller }) => {
    const after = readCursor(cursor, /^[a-z0-9._-]{1,63}$/);
    const { datasets, next } = await rpc.call(ListDatasets, {
      account: caller.account,
      search,
      ...(after !== null && { after: TuningName.parse(after) }),
    });
    return {
      datasets: datasets.map(({ name, kind, agent_access, versions, ready, head }) => ({
        ...{ name, kind, agent_access, versions },
        ...knownFields({ ready_version: ready, newest: head === null ? null : shownVersion(head) }),
      })),
      ...(next !== null && { next_cursor: writeCursor(next) }),
    };
  },
});

const Measure = z.object({
  base: z.string(),
  tokens: z.int(),
  learned_tokens: z.int(),
  longest: z.int(),
  over_context: z.int().describe('Examples longer than the base takes.'),
  is_exact: z.boolean(),
});

export const getDataset = defineTool({
  name: 'get_dataset',
  title: 'Show a data set',
  description: 'Shows a data set with its versions, problems by rule, and with a base the number of tokens. It shows no text of examples.',
  hints: READS,
  input: z.object({
    name: DatasetRef,
    version: z.int().positive().optional().describe('Only this version.'),
    base: z.string().max(200).optional().describe('Counts tokens for this base of list_tunable_bases.'),
  }),
  output: z.object({
    ...Listed.omit({ newest: true }).shape,
    all_versions: z.array(ShownVersion),
    tokens: Measure.optional().describe('Absent while they are being counted: ask again.'),
    used_by: z.array(z.object({ kind: z.string(), id: z.int(), name: z.string(), version: z.int() })),
    next_step: z.string(),
  }),
  run: async ({ name, version, base }, call) => {
    const { dataset, versions, used_by: uses } = await openDataset(name, call);
    const measured = base === undefined ? null : await measureOf(dataset.id, versionOf(version, dataset), base, call);
    return {
      ...{ name: dataset.name, kind: dataset.kind, agent_access: dataset.agent_access, versions: dataset.versions },
      ...knownFields({ ready_version: dataset.ready, tokens: measured }),
      all_versions: versions.filter(({ number }) => version === undefined || number === version).map(shownVersion),
      used_by: uses.map(({ kind, id, name: user, version: used }) => ({ kind, id, name: user, version: used })),
      next_step: afterVersion(
        dataset.name,
        version === undefined ? dataset.head : (versions.find(({ number }) => number === version) ?? null),
      ),
    };
  },
});

async function measureOf(
  dataset: DatasetId,
  version: number,
  base: string,
  { rpc, caller }: ToolCall,
): Promise<z.input<typeof Measure> | null> {
  const { measure } = await rpc.call(MeasureDataset, { account: caller.account, dataset, version, base });
  if (measure === null) return null;
  const { tokens, learned_tokens, longest, over_context, exact } = measure;
  return { base, tokens, learned_tokens, longest, over_context, is_exact: exact };
}

/** The number of a data set, which is made where there is none of this name. */
async function datasetFor(
  { name, kind, key }: { readonly name: TuningName; readonly kind: DatasetKind | undefined; readonly key: string },
  call: ToolCall,
): Promise<DatasetId> {
  const { rpc, caller, actor } = call;
  try {
    return await datasetIdOf(name, call);
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'dataset_not_found') throw error;
  }
  const made = { account: caller.account, name, kind, idempotency_key: `${key.slice(0, 120)}:set`, actor };
  return (await rpc.call(CreateDataset, made)).dataset;
}

type TuningName = z.infer<typeof TuningName>;

const reading = {
  format: z.enum(DATASET_FORMATS).optional().describe('Found from the file unless given.'),
  repairs: z.array(z.enum(DATASET_REPAIRS)).max(3).optional().describe('Repairs that are applied at once.'),
};

export const createDatasetUpload = defineTool({
  name: 'create_dataset_upload',
  title: 'Upload a data set',
  description:
    'Opens an upload for a training file, in a new data set or as a new version of an existing one. Send the file with the returned curl command; then call get_dataset until the version is ready or invalid. Never paste a file into an argument.',
  hints: { isReadOnly: false, isDestructive: false, isIdempotent: true },
  input: z.object({
    name: TuningName.describe('Name of the data set.'),
    kind: DatasetKind.optional().describe('sft: answers to learn; preference: pairs of a better and a worse answer.'),
    bytes: z.int().positive().optional().describe('Size of the file.'),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional()
      .describe('SHA-256 of the file in hex, compared at the end.'),
    ...reading,
    idempotency_key: idempotencyKey,
  }),
  output: z.object({
    name: z.string(),
    upload_url: z.string().describe('Opens this one upload and nothing else, until it ends.'),
    curl: z.string(),
    expires_at: z.string(),
    max_bytes: z.int(),
    next_step: z.string(),
  }),
  run: async ({ name, kind, idempotency_key: key, ...file }, call) => {
    const { rpc, caller, actor, addresses } = call;
    const dataset = await datasetFor({ name, kind, key }, call);
    const opened = await rpc.call(OpenUpload, { account: caller.account, dataset, ...file, idempotency_key: key, actor });
    const url = `${addresses.consoleUrl}${opened.path}`;
    return {
      name,
      upload_url: url,
      curl: `curl -T FILE '${url}'`,
      expires_at: opened.expires_at,
      max_bytes: opened.max_bytes,
      next_step: `Run the curl command with the path of your file in place of FILE. Then call get_dataset with ${name} until its newest version is ready or invalid.`,
    };
  },
});

const Changed = z.object({ name: z.string(), version: z.int(), next_step: z.string() });
const changed = (name: string, version: number): z.input<typeof Changed> => ({
  name,
  version,
  next_step: `Call get_dataset with ${name} until version ${version} is ready or invalid.`,
});

export const importDataset = defineTool({
  name: 'import_dataset',
  title: 'Import a data set',
  description: 'Fetches a training file from a host that the operator allows, into a new data set or as a new version of an existing one.',
  hints: { isReadOnly: false, isDestructive: false, isIdempotent: true },
  input: z.object({
    name: TuningName.describe('Name of the data set.'),
    url: z
      .url({ protocol: /^https?$/ })
      .max(2_048)
      .describe('Address of the file.'),
    ...reading,
    idempotency_key: idempotencyKey,
  }),
  output: Changed,
  run: async ({ name, idempotency_key: key, ...file }, call) => {
    const dataset = await datasetFor({ name, kind: undefined, key }, call);
    const { rpc, caller, actor } = call;
    const { version } = await rpc.call(ImportDataset, { account: caller.account, dataset, ...file, idempotency_key: key, actor });
    return changed(name, version);
  },
});

export const addExamples = defineTool({
  name: 'add_examples',
  title: 'Add or remove examples',
  description:
    'Makes a new version of a data set with up to 100 more examples, or without some. For files use create_dataset_upload. Examples are objects such as {"messages": [{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}]}.',
  hints: { isReadOnly: false, isDestructive: false, isIdempotent: true },
  input: z.object({
    name: TuningName.describe('Name of the data set; it is made where there is none.'),
    examples: z.array(z.record(z.string(), z.unknown())).max(100).describe('Examples to append.'),
    remove: z.array(z.int().positive()).max(1_000).optional().describe('Numbers of examples to leave out.'),
    base_version: z.int().positive().optional().describe('The version to start from; the newest ready one unless given.'),
    idempotency_key: idempotencyKey,
  }),
  output: Changed,
  run: async ({ name, examples, remove, base_version: base, idempotency_key: key }, call) => {
    const { rpc, caller, actor } = call;
    const dataset = await datasetFor({ name, kind: undefined, key }, call);
    const found = await openDataset(name, call);
    const { version } = await rpc.call(AddExamples, {
      ...{ account: caller.account, dataset, examples, remove, actor },
      base_version: base ?? found.dataset.ready,
      idempotency_key: key,
    });
    return changed(name, version);
  },
});

export const repairDataset = defineTool({
  name: 'repair_dataset',
  title: 'Repair a data set',
  description:
    'Makes a new version of an invalid one with repairs that get_dataset offers. Ask the person you work for before leaving examples out.',
  hints: { isReadOnly: false, isDestructive: false, isIdempotent: false },
  input: z.object({
    name: DatasetRef,
    version: z.int().positive().describe('The invalid version.'),
    repairs: z.array(z.enum(DATASET_REPAIRS)).min(1).max(3).describe('Repairs of that version.'),
  }),
  output: Changed,
  run: async ({ name, version, repairs }, call) => {
    const { rpc, caller, actor } = call;
    const made = await rpc.call(RepairVersion, {
      ...{ account: caller.account, dataset: await datasetIdOf(name, call), version, repairs, actor },
    });
    return changed(name, made.version);
  },
});

export const deleteDataset = defineTool({
  name: 'delete_dataset',
  title: 'Delete a data set',
  description: 'Deletes a data set with all versions for good. Adapters made from it stay. Ask the person you work for first.',
  hints: { isReadOnly: false, isDestructive: true, isIdempotent: true },
  input: z.object({
    name: DatasetRef,
    confirm_name: z.string().max(63).describe('The name again, once the person you work for agrees.'),
  }),
  output: z.object({ name: z.string(), is_deleted: z.literal(true) }),
  run: async ({ name, confirm_name: confirmed }, call) => {
    const { rpc, caller, actor } = call;
    const dataset = await datasetIdOf(name, call);
    requireConfirmation('confirm_name', confirmed, name);
    await rpc.call(DeleteDataset, { account: caller.account, dataset, actor });
    return { name, is_deleted: true as const };
  },
});
