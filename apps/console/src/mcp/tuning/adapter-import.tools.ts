import {
  FindAdapter,
  FindAdapterImport,
  ImportAdapter,
  type ImportState,
  ServiceError,
  TuningName,
  UploadId,
  WitnessPrompts,
} from '@slipway/contracts';
import { z } from 'zod';
import { defineTool, knownFields, READS } from '../mcp-tool.js';
import { adapterText } from './tuning-reference.js';

const NEXT_STEP =
  'Run the curl command with the path of your file in place of FILE, then call get_adapter_import until the state is ready.';

export const importAdapter = defineTool({
  name: 'import_adapter',
  title: 'Import an adapter',
  description:
    'Opens an upload for a LoRA adapter that was made elsewhere: a GGUF, a tar archive of adapter_config.json and adapter_model.safetensors, or what an export wrote. Send the file with the returned curl command; then call get_adapter_import. Never paste a file into an argument.',
  hints: { isReadOnly: false, isDestructive: false, isIdempotent: true },
  input: z.object({
    name: TuningName.describe('Name of the adapter; an existing one gets a new version.'),
    base: z.string().min(1).max(200).optional().describe('A base of list_tunable_bases; the one on the card in the file unless given.'),
    prompts: WitnessPrompts.optional().describe(
      'Up to 8 prompts that it was trained for. Needed where ordinary questions are answered as by the base (reason no_effect).',
    ),
    bytes: z.int().positive().optional().describe('Size of the file.'),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional()
      .describe('SHA-256 of the file in hex, compared at the end.'),
    idempotency_key: z
      .string()
      .regex(/^[\x21-\x7e]{1,128}$/)
      .describe('Your own name for this call.'),
  }),
  output: z.object({
    import: z.string().describe('As get_adapter_import takes it.'),
    upload_url: z.string().describe('Opens this one upload and nothing else, until it ends.'),
    curl: z.string(),
    expires_at: z.string(),
    max_bytes: z.int(),
    next_step: z.string(),
  }),
  run: async (input, { rpc, caller, actor, addresses }) => {
    const opened = await rpc.call(ImportAdapter, { account: caller.account, ...input, actor });
    const url = `${addresses.consoleUrl}${opened.path}`;
    return {
      import: opened.upload,
      upload_url: url,
      curl: `curl -T FILE '${url}'`,
      expires_at: opened.expires_at,
      max_bytes: opened.max_bytes,
      next_step: NEXT_STEP,
    };
  },
});

const AGAIN = 'Call get_adapter_import again in a few seconds.';
const NEXT_STEPS: Readonly<Record<ImportState, string>> = {
  uploading: 'Run the curl command of import_adapter, then call get_adapter_import again.',
  waiting: AGAIN,
  checking: AGAIN,
  ready: 'Ask the person you work for whether to serve it, then call deploy_adapter.',
  failed:
    'Tell the person you work for the detail. With another file, base or prompts call import_adapter again, with another idempotency_key.',
  cancelled: 'Call import_adapter again, with another idempotency_key.',
};

export const getAdapterImport = defineTool({
  name: 'get_adapter_import',
  title: 'Show the import of an adapter',
  description: 'Shows what became of an uploaded adapter: a training worker that has its base checks it. When it failed, detail says why.',
  hints: READS,
  input: z.object({ import: z.string().min(1).max(64).describe('As import_adapter returned it.') }),
  output: z.object({
    import: z.string(),
    name: z.string(),
    state: z.string().describe('ready = adapter can be deployed; waiting = no worker has its base, or is free.'),
    reason: z.string().optional(),
    detail: z.string().optional(),
    base: z.string().optional(),
    adapter: z.string().optional().describe('As deploy_adapter takes it.'),
    next_step: z.string(),
  }),
  run: async ({ import: upload }, { rpc, caller }) => {
    const { account } = caller;
    const known = UploadId.safeParse(upload);
    if (!known.success) throw new ServiceError('upload_not_found', 'This account has no such import.', { param: 'import' });
    const { import: seen } = await rpc.call(FindAdapterImport, { account, upload: known.data });
    const made = seen.adapter === null ? null : (await rpc.call(FindAdapter, { account, adapter: seen.adapter })).adapter;
    return {
      ...{ import: upload, name: seen.name, state: seen.state },
      ...knownFields({ reason: seen.reason, detail: seen.detail, base: seen.base, adapter: made && adapterText(made) }),
      next_step: NEXT_STEPS[seen.state],
    };
  },
});
