import { DeleteDeployment, type RequestedReplicas, ResumeDeployment, ScaleDeployment, StopDeployment } from '@slipway/contracts';
import type { z } from 'zod';
import { ACCOUNT, type Call, command, confirmation, YES } from '../command.js';
import { DEPLOYMENT, type DeploymentReference, findDeployment } from './deployment-name.js';
import { stateText, withSlug } from './deployment-text.js';
import { replicasWith, TARGET, typedReplicas } from './settings.js';
import { untilReady, untilStopped, WAIT_OPTIONS, waitFor, waitOf, type WaitValues } from './wait-for-deployment.js';

const workers = (count: number): string => `${count} ${count === 1 ? 'worker' : 'workers'}`;

/** On how many workers a deployment is to run. */
const scaleText = ({ replicas, replica_range: range }: z.output<typeof ScaleDeployment.reply>): string =>
  range ? `${range.min} to ${workers(range.max)} by its load, now ${replicas}` : workers(replicas);

export const scale = command('scale', 'Sets on how many workers a deployment runs, or between which numbers its load decides.')
  .addArgument(DEPLOYMENT)
  .argument('<REPLICAS>', 'how many, 1 to 64, or a range such as 1-4', typedReplicas)
  .takes(TARGET, ...WAIT_OPTIONS, ACCOUNT)
  .examples('deployments scale demo 3', 'deployments scale demo 1-4 --target 60')
  .plans(({ options }: Call<WaitValues & { target?: number }>, reference: DeploymentReference, given: RequestedReplicas) => {
    const withinMs = waitOf(options);
    const replicas = replicasWith(given, options.target) ?? given;
    return async (session) => {
      const { account, view, slug } = await findDeployment(session, reference);
      const reply = await session.call(ScaleDeployment, { account: account.id, deployment: view.id, replicas });
      const text = `${slug} is to run on ${scaleText(reply)}`;
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

export const remove = command('delete', 'Deletes a stopped or failed deployment for good, its aliases with it.')
  .addArgument(DEPLOYMENT)
  .takes(YES, ACCOUNT)
  .plans((call: Call<{ yes?: true }>, reference: DeploymentReference) => {
    const confirmed = confirmation(call);
    return async (session) => {
      const { account, view, slug } = await findDeployment(session, reference);
      const lost = aliasesText(account.slug, view.aliases);
      await confirmed(`${slug} (${view.name})${lost === '' ? '' : ` and its aliases ${lost}`}`, slug);
      const reply = await session.call(DeleteDeployment, { account: account.id, deployment: view.id });
      const aliases = aliasesText(account.slug, reply.aliases);
      return { json: { slug, ...reply }, text: `Deleted ${slug}${aliases === '' ? '' : ` with ${aliases}`}.` };
    };
  });
