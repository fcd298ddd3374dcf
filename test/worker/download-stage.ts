import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anItem } from './an-item.js';
import { CERTIFICATE, ModelHost } from './model-host.js';
import { type Agent, MODEL, rigTest, type WorkerRig } from './rig.js';
import { until } from './until.js';

export const model = readFileSync(MODEL);
/** A test with a worker rig and a host of models of its own. */
export const downloadTest = rigTest.extend<{ host: ModelHost }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the fixture's needs from this pattern
  host: async ({}, use) => {
    const host = await ModelHost.start();
    try {
      await use(host);
    } finally {
      await host.stop();
    }
  },
});

interface Scene {
  readonly rig: WorkerRig;
  readonly host: ModelHost;
}

export const startAgent = ({ rig, host }: Scene, settings: NodeJS.ProcessEnv = {}): Promise<Agent> =>
  rig.startAgent({ NODE_EXTRA_CA_CERTS: CERTIFICATE, MODEL_HOSTS: `localhost:${host.port}`, MODEL_DIRS: '', ...settings });

export const downloaded = (dep: number, uri: string) => anItem(dep, { source: { kind: 'download', uri } });
export const cache = (rig: WorkerRig): string[] => readdirSync(join(rig.folder, 'cache'));

export const failure = (rig: WorkerRig, agent: Agent, dep: number) =>
  until(`deployment ${dep} has failed`, () => {
    const load = rig.loadOf(agent, dep);
    return load?.state === 'failed' && load;
  });
