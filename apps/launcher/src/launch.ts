import { type DeploymentView, EnvironmentName } from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import { StartError } from '../../../scripts/lib/start-error.mjs';
import { provideAccount, provideKey, provideSetupToken, rememberShown } from './account.js';
import { announceControl } from './run-records.js';
import { provideDeployment } from './demo-deployment.js';
import { waitForDeployment, WorkerReports } from './deployment-readiness.js';
import type { FirstStage, LaunchContext } from './launch-context.js';
import { StateFile } from './launcher-state.js';
import { allowedSources } from './model-source.js';
import { openConnection, provideNats } from './nats.js';
import { providePostgres } from './postgres.js';
import { onceServed, PatientClient, waitForControlPlane, waitForHttp, waitForKey } from './readiness.js';
import { type Result, jsonReport, textReport } from './report.js';
import { openSecrets } from './secrets.js';
import { Services } from './services.js';

function environmentName(stage: FirstStage): string {
  const parsed = EnvironmentName.safeParse(stage.environment['SLIPWAY_ENV'] || 'dev');
  if (!parsed.success) throw new StartError('SLIPWAY_ENV must be a lower-case name of at most 16 letters, digits and hyphens.');
  return parsed.data;
}

/** Opens state and secrets. */
export async function prepare(given: Omit<LaunchContext, 'env' | 'state' | 'secrets'>): Promise<LaunchContext> {
  const { stage, dataDir } = given;
  const env = environmentName(stage);
  const state = await StateFile.open(dataDir.path);
  await state.update(allowedSources({ root: stage.root, source: stage.options.source }, state.state));
  return { ...given, env, state, secrets: await openSecrets(dataDir.secrets) };
}

/**
 * Starts everything in order and waits until the deployment serves requests.
 * @param since when the launcher began, in milliseconds since the epoch
 */
export async function bringUp(context: LaunchContext, since: number): Promise<Result> {
  const { stage, env } = context;
  const databases = await providePostgres(context);
  const nats = await provideNats(context);
  await announceControl(context.dataDir, env, nats);
  const services = new Services(context, { nats, databases });
  const connection = await openConnection(context, nats, 'ops');
  try {
    const rpc = new PatientClient(connection, env);
    const reports = new WorkerReports(connection, env);
    services.startControlPlane();
    services.startWorkers();
    const gateways = await services.startGateways();
    const consoleAddress = await services.startConsole();
    const consoleUrl = (stage.environment['CONSOLE_BASE_URL'] || consoleAddress.url).replace(/\/+$/, '');
    await announceControl(context.dataDir, env, { ...nats, consoleUrl });
    await stage.progress.step('Starting the services', () => waitForControlPlane(context, new RpcClient(connection, env)));
    const account = await onceServed(context, () => provideAccount(rpc), { repeatable: true });
    const { id: deployment, path } = await onceServed(context, () => provideDeployment(context, rpc, account));
    const { slots = null } = await stage.progress.step<DeploymentView>(`Loading deployment-${deployment}`, (detail) =>
      waitForDeployment(context, rpc, { account, id: deployment, reports }, detail),
    );
    await stage.progress.step('Starting the gateways and the console', () => waitForHttp(context, [...gateways, consoleAddress]));
    const key = await onceServed(context, () => provideKey(context, rpc, account));
    if (key) await waitForKey(context, gateways, path, key.value);
    const setupToken = await onceServed(context, () => provideSetupToken(rpc, account));
    const own = context.processes.running();
    const processes = [...own, ...reports.running(new Set(own.map(({ pid }) => pid)))];
    const baseUrl = stage.environment['PUBLIC_BASE_URL'] || stage.localUrl;
    const setupUrl = setupToken === null ? null : `${consoleUrl}/join#${setupToken}`;
    const urls = { baseUrl, consoleUrl, setupUrl, gateways: gateways.map(({ url }) => url) };
    const embeds = reports.embeds(deployment);
    return { ...urls, natsVersion: nats.version, deployment, path, slots, embeds, key, processes, seconds: (Date.now() - since) / 1_000 };
  } finally {
    await connection.close();
  }
}

/** The text of a successful start. */
export const reportOf = ({ stage }: LaunchContext, result: Result): string =>
  stage.options.json ? jsonReport(result) : textReport(result);

/** Records that the report was written: its key counts as shown from now on. */
export async function rememberReported(context: LaunchContext, { key }: Result): Promise<void> {
  if (key) await rememberShown(context, key);
}
