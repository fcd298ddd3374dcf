import { test } from 'vitest';
import { WorkerRig } from './rig.js';

/** Tests with a rig of their own each, which may run side by side. */
export const rigTest = test.extend<{ rig: WorkerRig }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the fixture's needs from this pattern
  rig: async ({}, use) => {
    const rig = new WorkerRig();
    try {
      await use(await rig.open());
    } finally {
      await rig.close();
    }
  },
});
