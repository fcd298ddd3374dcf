import { DeleteDeployment, ResumeDeployment, ScaleDeployment, StopDeployment } from '@slipway/contracts';
import { CliError } from '../cli-errors.js';
import { ACCOUNT, type Call, command } from '../command.js';
import type { Session } from '../session/session.js';
import { whole } from '../values.js';
import { DEPLOYMENT, type DeploymentReference, type FoundDeployment, findDeployment } from './deployment-name.js';
import { stateText, withSlug } from './deployment-text.js';
import { Replicas } from './settings.js';
import { untilReady, untilStopped, WAIT_OPTIONS, waitFor, waitOf, type WaitValues } from './wait-for-deployment.js';

export const scale = command('scale', 'Sets on how many workers a deployment runs.')
  .addArgument(DEPLOYMENT)
  .argument('<REPLICAS>', 'how many, 1 to 64', whole(Replicas))
  .takes(...WAIT_OPTIONS, ACCOUNT)
  .plans(({ options }: Call<WaitValues>, reference: DeploymentReference, replicas: number) => {
    const withinMs = waitOf(options);
    return async (session) => {
      const { account, view, slug } = await findDeployment(session, reference);
      const reply = await session.call(ScaleDeployment, { account: account.id, deployment: view.id, replicas });
      const text = `${slug} is to run on ${replicas} ${replicas === 1 ? 'worker' : 'workers'}`;
      if (withinMs === null) return { json: { slug, ...reply }, text: `${text}.` };
      const ready = await waitFor(session, { account, id: view.id, before: view }, untilReady, withinMs);
      return { json: withSlug(ready), text: `${text}, and does.` };
    };
  });

export const stop = command('stop', 'Stops a deployment: new requests are refused at once, running ones get a grace period.')
  .addArgument(DEPLOYMENT)
  .takes(...WAIT_OPTIONS, ACCOUNT)
  .plans(({ options }: Call<WaitValues>, reference: DeploymentReference) => {
    const withinMs = waitOf(options);
    return async (session) => {
      const { account, view, slug } = await findDeployment(session, reference);
      const reply = await session.call(StopDeployment, { account: account.id, deployment: view.id });
      if (withinMs === null) return { json: { slug, ...reply }, text: `${slug} is ${reply.state}.` };
      const stopped = await waitFor(session, { account, id: view.id }, untilStopped, withinMs);
      return { json: withSlug(stopped), text: `${slug} is ${stopped.state}.` };
    };
  });

export const resume = command('resume', 'Starts a stopped deployment again, and retries a failed one at once.')
  .addArgument(DEPLOYMENT)
  .takes(...WAIT_OPTIONS, ACCOUNT)
  .plans(({ options }: Call<WaitValues>, reference: DeploymentReference) => {
    const withinMs = waitOf(options);
    return async (session) => {
      const { account, view, slug } = await findDeployment(session, reference);
      const reply = await session.call(ResumeDeployment, { account: account.id, deployment: view.id });
      if (withinMs === null) return { json: { slug, ...reply }, text: `${slug} is ${reply.state}.` };
      const ready = await waitFor(session, { account, id: view.id, before: view }, untilReady, withinMs);
      return { json: withSlug(ready), text: `${slug} is ${stateText(ready)}.` };
    };
  });

const aliasesText = (slug: string, aliases: readonly string[]): string => aliases.map((alias) => `${slug}/${alias}`).join(', ');

async function confirm({ terminal }: Session, { account, view, slug }: FoundDeployment): Promise<void> {
  const aliases = aliasesText(account.slug, view.aliases);
  const loss = aliases === '' ? '' : ` and its aliases ${aliases}`;
  const answer = await terminal.ask(`This deletes ${slug} (${view.name})${loss} for good. Type ${slug} to go on: `);
  if (answer !== slug) throw new CliError('not_confirmed', 'Nothing was deleted.');
}

export const remove = command('delete', 'Deletes a stopped or failed deployment for good, its aliases with it.')
  .addArgument(DEPLOYMENT)
  .option('-y, --yes', 'does not ask')
  .takes(ACCOUNT)
  .plans(({ options, terminal }: Call<{ yes?: true }>, reference: DeploymentReference) => {
    if (!options.yes && !terminal.interactive)
      throw new CliError('not_confirmed', 'There is no terminal to ask on: --yes deletes without asking.');
    return async (session) => {
      const found = await findDeployment(session, reference);
      if (!options.yes) await confirm(session, found);
      const reply = await session.call(DeleteDeployment, { account: found.account.id, deployment: found.view.id });
      const aliases = aliasesText(found.account.slug, reply.aliases);
      return { json: { slug: found.slug, ...reply }, text: `Deleted ${found.slug}${aliases === '' ? '' : ` with ${aliases}`}.` };
    };
  });
