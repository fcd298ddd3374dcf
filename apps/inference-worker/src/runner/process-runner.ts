import { connectNats, createLogger, type NatsConnection } from '@slipway/platform';
import { createEngine } from '../engines/create-engine.js';
import type { EngineLoadError } from '../engines/engine.js';
import { queueBoundOf } from '../serving/admission.js';
import { Runner } from './runner.js';
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
  const nats = await connectNats({
    url: setup.natsUrl,
    role: 'worker',
    credentialsDir: setup.natsCredentialsDir ?? undefined,
    name: `runner-${item.dep}`,
    log,
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
  return { runner: new Runner({ engine, nats, env, item, zone, log, lost }), nats };
}
