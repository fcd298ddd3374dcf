import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { anItem } from './an-item.js';
import { CERTIFICATE, ModelHost } from './model-host.js';
import { type Agent, MODEL, rigTest, type WorkerRig } from './rig.js';

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

/** Expects that heartbeats showed a download's share grow, and some of it before the end. */
export function expectProgress(rig: WorkerRig, dep: number): void {
  const shown = rig.beats
    .map(({ loads }) => loads.find((load) => load.dep === dep)?.progress)
    .filter((progress) => typeof progress === 'number');
  expect(shown.some((progress) => progress > 0.1 && progress < 0.9)).toBe(true);
  expect(shown).toEqual(shown.toSorted((a, b) => a - b));
}
