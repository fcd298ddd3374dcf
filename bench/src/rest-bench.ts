import { join } from 'node:path';
import { restTable } from './figures/page.js';
import { measureRest } from './loads/at-rest.js';
import { type BenchStage, temporaryFolder, withCleanUp } from './stage.js';
import { startSlipway } from './ways/slipway.js';

/** Measures what `npm start` with the bundled model takes without requests. @returns the exit code */
export async function runRestBench({ root, environment, freePort }: BenchStage): Promise<number> {
  return withCleanUp(async (cleanUp) => {
    const dataDir = join(await temporaryFolder(cleanUp), 'data');
    const options = { name: 'slipway', version: 'this', root, environment, dataDir, port: await freePort() };
    const slipway = await startSlipway(options, (launcher) => cleanUp.add(() => launcher.stop()));
    process.stdout.write(`${restTable(await measureRest([slipway]))}\n`);
    return 0;
  });
}
