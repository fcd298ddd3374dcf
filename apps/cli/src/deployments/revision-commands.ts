import { CreateDeployment, DeploymentName, UpdateDeployment, deploymentSlug } from '@slipway/contracts';
import type { z } from 'zod';
import { findAccount } from '../accounts/find-account.js';
import { UsageError } from '../cli-errors.js';
import { ACCOUNT_OPTION, type Call, type Command, type OptionSpecs } from '../command.js';
import { checked } from '../option-values.js';
import { deploymentReference, findDeployment } from './deployment-name.js';
import { SOURCE_OPTIONS, credentialOf, nameOf, sourceOf } from './deployment-source.js';
import { stateText, withSlug } from './deployment-text.js';
import { DEFAULT_REMARK, Replicas, SETTING_OPTIONS, settingChangesOf, settingsOf } from './settings.js';
import { DEPLOYMENT } from './show-commands.js';
import { WAIT_OPTIONS, untilReady, waitFor, waitOf } from './wait-for-deployment.js';

const nameOption = ({ options }: Call): string | undefined => {
  const text = options.text('name');
  return text === undefined ? undefined : checked(DeploymentName, text);
};

export const create: Command = {
  name: 'create',
  summary: 'Makes a deployment of a model, or of another server, and wants it ready at once.',
  words: [],
  options: {
    ...SOURCE_OPTIONS,
    name: { value: 'NAME', about: "a name for lists (the model's)" },
    replicas: { value: 'N', about: 'workers that it runs on (1; of an HTTP engine 2)' },
    ...SETTING_OPTIONS,
    ...WAIT_OPTIONS,
    ...ACCOUNT_OPTION,
  },
  plan(call) {
    const source = sourceOf(call);
    if (!source) throw new UsageError('Name the model with --model, or another server with --upstream.');
    const credential = credentialOf(call);
    if (credential !== undefined && source.kind !== 'http') throw new UsageError('--upstream-key-env needs --upstream URL.');
    const replicas = call.options.whole('replicas', Replicas);
    const wanted = {
      name: nameOption(call) ?? nameOf(source),
      source,
      ...settingsOf(call.options),
      ...(replicas !== undefined && { replicas }),
      ...(credential !== undefined && { credential }),
    };
    const withinMs = waitOf(call.options);
    return async (session) => {
      const account = await findAccount(session);
      const { id } = await session.call(CreateDeployment, { account: account.id, ...wanted });
      const slug = deploymentSlug(id);
      if (withinMs === null) {
        return {
          json: { account: account.slug, slug, id },
          text: `Made ${slug}: npx slipway deployments show ${slug} says how it comes up.`,
        };
      }
      const view = await waitFor(session, { account, id }, untilReady, withinMs);
      return { json: { account: account.slug, ...withSlug(view) }, text: `Made ${slug}, it is ${stateText(view)}.` };
    };
  },
};

const UPDATE_OPTIONS = {
  ...SOURCE_OPTIONS,
  'no-upstream-key': { about: 'forgets the API key for the server' },
  name: { value: 'NAME', about: 'a new name for lists' },
  base: { value: 'REV', about: 'revision whose settings stay (the newest); alone it goes back to that one' },
  ...SETTING_OPTIONS,
} as const satisfies OptionSpecs;

type Changes = Omit<z.input<typeof UpdateDeployment.request>, 'account' | 'deployment'>;

function credentialChange(call: Call): { credential?: string | null } {
  const credential = credentialOf(call);
  if (!call.options.flag('no-upstream-key')) return credential === undefined ? {} : { credential };
  if (credential !== undefined) throw new UsageError('--upstream-key-env and --no-upstream-key exclude each other.');
  return { credential: null };
}

function changesOf(call: Call): Changes {
  if (!Object.keys(UPDATE_OPTIONS).some((name) => call.options.has(name))) {
    throw new UsageError('Name what is to change, such as --model, --context or --name.');
  }
  const [name, source] = [nameOption(call), sourceOf(call)];
  const base = call.options.whole('base', UpdateDeployment.request.shape.base);
  return {
    ...(base !== undefined && { base }),
    ...(name !== undefined && { name }),
    ...(source && { source }),
    ...credentialChange(call),
    ...settingChangesOf(call.options),
  };
}

export const update: Command = {
  name: 'update',
  summary: 'Changes a deployment; the old revision serves until the new one is ready.',
  remark: DEFAULT_REMARK,
  words: [DEPLOYMENT],
  options: { ...UPDATE_OPTIONS, ...WAIT_OPTIONS, ...ACCOUNT_OPTION },
  plan(call) {
    const reference = deploymentReference(call.word(DEPLOYMENT.name));
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
  },
};
