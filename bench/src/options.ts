import { parseArgs } from 'node:util';
import { LOADS } from './loads.js';

export const USAGE = `Usage: npm run bench -- [options]
       npm run bench -- keys      what 100,000 keys cost a gateway
       npm run bench -- bodies [FOLDER]   what checking a body costs, beside that of another built checkout
       npm run bench -- rest      what the bundled model costs without requests
       npm run bench -- tuning    what uploads and trainings cost, and how soon they do what they are told

Measures what Slipway adds to an inference server, beside nginx in front of the same server.
Starts everything that it needs, and ends it.

  --quick        a minute and a half instead of more than ten minutes
  --only LOAD    one load: ${Object.keys(LOADS).join(', ')}
  --help         this text
`;

export interface BenchOptions {
  readonly quick: boolean;
  readonly only: string | null;
  readonly help: boolean;
}

/** @throws Error in one line */
export function readOptions(argv: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: { quick: { type: 'boolean' }, only: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    strict: true,
  });
  const { quick = false, only = null, help = false } = values;
  if (only !== null && !Object.hasOwn(LOADS, only))
    throw new Error(`There is no load ${only}; there are ${Object.keys(LOADS).join(', ')}.`);
  return { quick, only, help };
}
