import {
  CreateDeployment,
  DeploymentName,
  type RequestedReplicas,
  UpdateDeployment,
  deploymentNameFor,
  deploymentSlug,
  serverOf,
} from '@slipway/contracts';
import { Option } from 'commander';
import type { z } from 'zod';
import { findAccount } from '../accounts/find-account.js';
import { UsageError } from '../cli-errors.js';
import { ACCOUNT, type Call, command } from '../command.js';
import { checkedBy, DEFAULT, nullable, whole } from '../values.js';
import { DEPLOYMENT, type DeploymentReference, findDeployment } from './deployment-name.js';
import { credentialOf, SOURCE_OPTIONS, sourceOf, type SourceValues } from './deployment-source.js';
import { stateText, withSlug } from './deployment-text.js';
import { replicasWith, settingOptions, settingsOf, type SettingValues, TARGET, typedReplicas } from './settings.js';
import { untilReady, WAIT_OPTIONS, waitFor, waitOf, type WaitValues } from './wait-for-deployment.js';

const deploymentName = checkedBy(DeploymentName);

interface CreateValues extends SourceValues, SettingValues<number>, WaitValues {
  readonly name?: string;
  readonly replicas?: RequestedReplicas;
  readonly target?: number;
}

export const create = command('create', 'Makes a deployment of a model, or of another server, which comes up at once.')
  .takes(...SOURCE_OPTIONS)
  .option('--name <NAME>', "a name for lists (default: the model's)", deploymentName)
  .option('--replicas <N|MIN-MAX>', 'workers that it runs on; a range follows its load (default: 1; of an HTTP engine 2)', typedReplicas)
  .takes(TARGET, ...settingOptions({ mayReset: false }), ...WAIT_OPTIONS, ACCOUNT)
  .examples(
    'deployments create --model /models/llama-3.gguf --wait',
    'deployments create --upstream http://gpu-1:8000 --upstream-model qwen3 --upstream-key-env VLLM_KEY',
  )
  .plans((call: Call<CreateValues>) => {
    const { name, target } = call.options;
    const replicas = replicasWith(call.options.replicas, target);
    const source = sourceOf(call);
    if (!source) throw new UsageError('Name the model with --model, or another server with --upstream.');
    const credential = credentialOf(call);
    if (credential !== undefined && serverOf(source) === null) throw new UsageError('--upstream-key-env needs --upstream URL.');
    const wanted = {
      name: name ?? deploymentNameFor(source),
      source,
      ...settingsOf(call.options, (value) => value),
      ...(replicas !== undefined && { replicas }),
      ...(credential !== undefined && { credential }),
    };
    const withinMs = waitOf(call.options);
    return async (session) => {
      const account = await findAccount(session);
      const { id } = await session.call(CreateDeployment, { account: account.id, ...wanted });
      const slug = deploymentSlug(id);
      if (withinMs === null) {
        const text = `Made ${slug}: npx slipway deployments show ${slug} says how it comes up.`;
        return { json: { account: account.slug, slug, id }, text };
      }
      const view = await waitFor(session, { account, id }, untilReady, withinMs);
      return { json: { account: account.slug, ...withSlug(view) }, text: `Made ${slug}, it is ${stateText(view)}.` };
    };
  });

interface UpdateValues extends SourceValues, SettingValues<number | typeof DEFAULT>, WaitValues {
  /** False with `--no-upstream-key`. */
  readonly upstreamKey: boolean;
  readonly name?: string;
  readonly base?: number;
}

type Changes = Omit<z.input<typeof UpdateDeployment.request>, 'account' | 'deployment'>;

function changesOf(call: Call<UpdateValues>): Changes {
  const { base, name, upstreamKey } = call.options;
  const [source, credential] = [sourceOf(call), credentialOf(call)];
  const changes = {
    ...(base !== undefined && { base }),
    ...(name !== undefined && { name }),
    ...(source && { source }),
    ...(credential !== undefined && { credential }),
    ...(!upstreamKey && { credential: null }),
    ...settingsOf(call.options, nullable<number | typeof DEFAULT>),
  };
  if (Object.keys(changes).length === 0) throw new UsageError('Name what is to change, such as --model, --context or --name.');
  return changes;
}

export const update = command(
  'update',
  'Changes a deployment; the old revision serves until the new one is ready.',
  `--context, --slots, --threads and --max-tokens also take the word "${DEFAULT}", which resets them.`,
)
  .addArgument(DEPLOYMENT)
  .takes(...SOURCE_OPTIONS)
  .addOption(new Option('--no-upstream-key', 'forgets the API key for the server').conflicts('upstreamKeyEnv'))
  .option('--name <NAME>', 'a new name for lists', deploymentName)
  .option(
    '--base <REV>',
    'revision whose settings stay (default: the newest); alone it goes back to that one',
    whole(UpdateDeployment.request.shape.base),
  )
  .takes(...settingOptions({ mayReset: true }), ...WAIT_OPTIONS, ACCOUNT)
  .examples('deployments update demo --slots 8 --wait', `deployments update deployment-7 --context ${DEFAULT}`)
  .plans((call: Call<UpdateValues>, reference: DeploymentReference) => {
    const changes = changesOf(call);
    const withinMs = waitOf(call.options);
    return async (session) => {
      const { account, view, slug } = await findDeployment(session, reference);
      const reply = await session.call(UpdateDeployment, { account: account.id, deployment: view.id, ...changes });
      const what = reply.changed ? `Made revision ${reply.rev} of ${slug}` : `${slug} stays at revision ${reply.rev}`;
      if (withinMs === null) return { json: { slug, ...reply }, text: `${what}.` };
      const ready = await waitFor(session, { account, id: view.id, before: view }, untilReady, withinMs);
      return { json: { changed: reply.changed, ...withSlug(ready) }, text: `${what}, it is ${stateText(ready)}.` };
    };
  });
