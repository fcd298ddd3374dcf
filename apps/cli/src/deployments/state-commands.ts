import { DeleteDeployment, ResumeDeployment, ScaleDeployment, StopDeployment } from '@slipway/contracts';
import { CliError } from '../cli-errors.js';
import { ACCOUNT_OPTION, type Command } from '../command.js';
import { wholeNumber } from '../option-values.js';
import type { Session } from '../session/session.js';
import { type FoundDeployment, deploymentReference, findDeployment } from './deployment-name.js';
import { stateText, withSlug } from './deployment-text.js';
import { Replicas } from './settings.js';
import { DEPLOYMENT } from './show-commands.js';
import { WAIT_OPTIONS, untilReady, untilStopped, waitFor, waitOf } from './wait-for-deployment.js';

export const scale: Command = {
  name: 'scale',
  summary: 'Sets on how many workers a deployment runs.',
  words: [DEPLOYMENT, { name: 'REPLICAS', about: 'how many, 1 to 64' }],
  options: { ...WAIT_OPTIONS, ...ACCOUNT_OPTION },
  plan(call) {
    const reference = deploymentReference(call.word(DEPLOYMENT.name));
    const replicas = wholeNumber('REPLICAS', call.word('REPLICAS'), Replicas);
    const withinMs = waitOf(call.options);
    return async (session) => {
      const { account, view, slug } = await findDeployment(session, reference);
      const reply = await session.call(ScaleDeployment, { account: account.id, deployment: view.id, replicas });
      const text = `${slug} is to run on ${replicas} ${replicas === 1 ? 'worker' : 'workers'}`;
      if (withinMs === null) return { json: { slug, ...reply }, text: `${text}.` };
      const ready = await waitFor(session, { account, id: view.id, before: view }, untilReady, withinMs);
      return { json: withSlug(ready), text: `${text}, and does.` };
    };
  },
};

export const stop: Command = {
  name: 'stop',
  summary: 'Stops a deployment: new requests are refused at once, running ones get a grace period.',
  words: [DEPLOYMENT],
  options: { ...WAIT_OPTIONS, ...ACCOUNT_OPTION },
  plan(call) {
    const reference = deploymentReference(call.word(DEPLOYMENT.name));
    const withinMs = waitOf(call.options);
    return async (session) => {
      const { account, view, slug } = await findDeployment(session, reference);
      const reply = await session.call(StopDeployment, { account: account.id, deployment: view.id });
      if (withinMs === null) return { json: { slug, ...reply }, text: `${slug} is ${reply.state}.` };
      const stopped = await waitFor(session, { account, id: view.id }, untilStopped, withinMs);
      return { json: withSlug(stopped), text: `${slug} is ${stopped.state}.` };
    };
  },
};

export const resume: Command = {
  name: 'resume',
  summary: 'Wants a stopped deployment ready again; one that failed is tried again at once.',
  words: [DEPLOYMENT],
  options: { ...WAIT_OPTIONS, ...ACCOUNT_OPTION },
  plan(call) {
    const reference = deploymentReference(call.word(DEPLOYMENT.name));
    const withinMs = waitOf(call.options);
    return async (session) => {
      const { account, view, slug } = await findDeployment(session, reference);
      const reply = await session.call(ResumeDeployment, { account: account.id, deployment: view.id });
      if (withinMs === null) return { json: { slug, ...reply }, text: `${slug} is ${reply.state}.` };
      const ready = await waitFor(session, { account, id: view.id, before: view }, untilReady, withinMs);
      return { json: withSlug(ready), text: `${slug} is ${stateText(ready)}.` };
    };
  },
};

async function confirm({ terminal }: Session, { account, view, slug }: FoundDeployment): Promise<void> {
  const aliases = view.aliases.map((alias) => `${account.slug}/${alias}`).join(', ');
  const loss = aliases === '' ? '' : ` and its aliases ${aliases}`;
  const answer = await terminal.ask(`This deletes ${slug} (${view.name})${loss} for good. Type ${slug} to go on: `);
  if (answer !== slug) throw new CliError('not_confirmed', 'Nothing was deleted.');
}

export const remove: Command = {
  name: 'delete',
  summary: 'Deletes a stopped or failed deployment for good, its aliases with it.',
  words: [DEPLOYMENT],
  options: { yes: { short: 'y', about: 'does not ask' }, ...ACCOUNT_OPTION },
  plan(call) {
    const reference = deploymentReference(call.word(DEPLOYMENT.name));
    const sure = call.options.flag('yes');
    if (!sure && !call.terminal.interactive) throw new CliError('not_confirmed', 'Nobody can be asked here: --yes deletes without asking.');
    return async (session) => {
      const found = await findDeployment(session, reference);
      if (!sure) await confirm(session, found);
      const reply = await session.call(DeleteDeployment, { account: found.account.id, deployment: found.view.id });
      const aliases = reply.aliases.map((alias) => `${found.account.slug}/${alias}`).join(', ');
      return { json: { slug: found.slug, ...reply }, text: `Deleted ${found.slug}${aliases === '' ? '' : ` with ${aliases}`}.` };
    };
  },
};
