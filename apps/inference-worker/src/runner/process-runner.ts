import { connectNats, createLogger, type NatsConnection } from '@slipway/platform';
import { createEngine } from '../engines/create-engine.js';
import type { EngineLoadError } from '../engines/engine.js';
import { queueBoundOf } from '../serving/admission.js';
import { Runner } from './runner.js';
import { becomeUser } from './other-user.js';
import type { RunnerSetup } from './runner-messages.js';

/** A runner process's runner with the connection that is its own. */
export interface ProcessRunner {
  readonly runner: Runner;
  readonly nats: NatsConnection;
}

/** Makes the runner of a process from what its agent sent; nothing is loaded yet. */
export async function makeProcessRunner(
  setup: RunnerSetup,
  tee: (line: string) => void,
  lost: (error: EngineLoadError) => void,
): Promise<ProcessRunner> {
  const { item, env, zone } = setup;
  const log = createLogger('inference-runner', setup.logLevel, tee).child({ deployment: item.dep, rev: item.rev });
  const { natsUrl: url, identity, wk, user } = setup;
  const kept = user && becomeUser(user, setup.modelPath);
  if (kept !== null) log.warn({ reason: kept }, 'runner.stays_root');
  const nats = await connectNats({
    url,
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
  const engine = await createEngine(
    { kind: 'file', path: setup.modelPath },
    {
      context: item.context,
      slots: item.slots,
      queue: queueBoundOf(item.slots),
      threads: item.threads,
      defaultMaxTokens: item.default_max_tokens,
      gpu: setup.gpu === 'auto',
      log,
    },
  );
  return { runner: new Runner({ wk, engine, nats, env, item, zone, log, lost }), nats };
}
