import { fileSource } from '@slipway/contracts';
import { type EngineAdapter, EngineLoadError } from '@slipway/engine';
import { fileIdentity } from '@slipway/model-store';
import { connectNats, type Logger, type NatsConnection, Tracing } from '@slipway/platform';
import { createEngine } from '../engines.js';
import { queueBoundOf } from '../serving/admission.js';
import { Runner } from './runner.js';
import { becomeUser } from './other-user.js';
import type { RunnerSetup } from './runner-messages.js';

/** The runner of a runner process, and its NATS connection. */
export interface ConnectedRunner {
  readonly runner: Runner;
  readonly nats: NatsConnection;
}

/** Called before native code reads the model. @throws EngineLoadError where the process must leave root and cannot */
function leaveRoot({ user, modelPath, adapter, mayStayRoot, program }: RunnerSetup, log: Logger): void {
  if (user === null) return;
  const { uid, reason } = becomeUser(
    user,
    modelPath,
    [program, adapter].flatMap((other) => other?.path ?? []),
  );
  if (reason === null) return;
  log.warn({ reason, uid }, uid === 0 ? 'runner.stays_root' : 'runner.becomes_owner');
  if (uid !== 0 || mayStayRoot) return;
  throw new EngineLoadError('model_missing', 'The user that runs models on this worker cannot read this file.');
}

function engineAdapter({ item, modelPath, adapter }: RunnerSetup): EngineAdapter | undefined {
  if (!item.adapter) return undefined;
  // Never the bare base under the name of an adapter.
  if (!adapter) throw new EngineLoadError('adapter_missing', 'The adapter is not on this worker.');
  const assertBase = async (): Promise<void> => {
    if ((await fileIdentity(modelPath)) === adapter.baseIdentity) return;
    throw new EngineLoadError('adapter_mismatch', 'The file of the base was replaced while it was loaded.');
  };
  return { path: adapter.path, facts: item.adapter, assertBase };
}

/**
 * Connects to NATS and builds a runner; its model is not loaded yet.
 * @param isFirst whether this process must leave root before it
 * @param logger of this runner
 */
export async function buildRunner(
  setup: RunnerSetup,
  isFirst: boolean,
  logger: Logger,
  lost: (error: EngineLoadError) => void,
): Promise<ConnectedRunner> {
  const { item, env, zone } = setup;
  const log = logger.child({ deployment: item.dep, rev: item.rev });
  const { natsUrl: url, identity, wk } = setup;
  if (isFirst) leaveRoot(setup, log);
  const nats = await connectNats({
    url,
    tls: setup.natsTls ?? undefined,
    name: `runner-${item.dep}`,
    log,
    ...(identity
      ? // Read at each reconnect: the agent renews it.
        {
          role: 'runner',
          identity: {
            wk,
            key: identity.key,
            get jwt() {
              return identity.jwt;
            },
          },
        }
      : { role: 'worker', credentialsDir: setup.natsCredentialsDir ?? undefined }),
  });
  const engine = await createEngine(fileSource(item.source, setup.modelPath), {
    context: item.context,
    slots: item.slots,
    queue: queueBoundOf(item.slots),
    threads: item.threads,
    defaultMaxTokens: item.default_max_tokens,
    gpu: setup.gpu === 'auto',
    program: setup.program ?? undefined,
    adapter: engineAdapter(setup),
    log,
  });
  const tracing = new Tracing(setup.tracing);
  await tracing.start();
  const freed = (): Promise<void> => tracing.stop();
  return { runner: new Runner({ wk, engine, nats, env, item, zone, log, tracing, lost, freed }), nats };
}
