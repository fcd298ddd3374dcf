import { join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import type { CleanUp } from './clean-up.js';
import { HelperProcess } from './helper-process.js';
import { OwnedProcess } from './owned-process.js';
import type { ProcessGroups } from './process-figures.js';

export interface BareRelayOptions {
  readonly natsServer: string;
  readonly natsPort: number;
  readonly upstreamPort: number;
  /** Folder for what nats-server writes. */
  readonly folder: string;
}

/** Two processes and a nats-server that do nothing but relay: what the way itself costs on this machine. */
export interface BareRelay {
  readonly port: number;
  readonly groups: ProcessGroups;
}

/** Starts one; `cleanUp` ends it. */
export async function startBareRelay(options: BareRelayOptions, cleanUp: CleanUp): Promise<BareRelay> {
  const { natsServer, natsPort, upstreamPort, folder } = options;
  await mkdir(folder, { recursive: true });
  const nats = new OwnedProcess({
    command: natsServer,
    args: ['-a', '127.0.0.1', '-p', String(natsPort), '-P', join(folder, 'nats.pid')],
    cwd: folder,
    env: {},
    stopSignal: 'SIGTERM',
    stopWithinMs: 3_000,
  });
  cleanUp.add(() => nats.stop());
  const start = async (script: string): Promise<HelperProcess> => {
    const { helper } = await HelperProcess.start(script);
    cleanUp.add(() => helper.stop());
    return helper;
  };
  const natsUrl = `nats://127.0.0.1:${natsPort}`;
  const worker = await start('bare-worker-process.js');
  await worker.ask({ natsUrl, upstreamPort });
  const front = await start('bare-front-process.js');
  const { port } = await front.ask<{ port: number }>({ natsUrl });
  return { port, groups: { gateway: [front.pid], worker: [worker.pid], nats: [nats.pid] } };
}
