import { writeFile } from 'node:fs/promises';
import { choose, listOfCases } from './cases.js';
import { Engine, MODELS } from './engine.js';
import { groundFor, TargetError } from './ground.js';
import { type Options, readOptions, USAGE, UsageError } from './options.js';
import { recordOf, reportOf } from './report.js';
import { runCases } from './run-cases.js';

/** Shorter keys are words for servers without keys. */
const SECRET_MIN = 8;

/**
 * Runs the cases that a command line asks for, prints the score, and gives the exit code: 0 when no case failed, 1 when one did,
 * 2 when nothing could be run. Keys never appear in what is written.
 * @param print writes a line
 */
export async function runConformance(
  args: readonly string[],
  print: (text: string) => void,
  environment: NodeJS.ProcessEnv = {},
): Promise<number> {
  try {
    const options = readOptions(args, environment);
    if (typeof options !== 'string') return await run(options, print);
    print(options === 'list' ? listOfCases() : USAGE);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    print(`${error.message}\n\n${USAGE}`);
    return 2;
  }
}

async function run(options: Options, print: (text: string) => void): Promise<number> {
  const secrets = [options.key, ...options.spareKeys].filter((key) => key.length >= SECRET_MIN);
  const hide = (text: string): string => secrets.reduce((rest, key) => rest.replaceAll(key, '(key)'), text);
  const engine = options.engine && (await Engine.start(options.engine));
  try {
    if (engine) print(`The scripted engine listens at ${engine.url}; models ${Object.values(MODELS).join(', ')}.`);
    const ground = await groundFor(options, engine);
    const verdicts = await runCases(ground, choose(options.contracts, options.cases));
    if (verdicts.length === 0) throw new TargetError('No case has such a number.');
    print(hide(reportOf(verdicts)));
    if (options.json !== undefined) await writeFile(options.json, hide(`${JSON.stringify(recordOf(options.url, verdicts), null, 2)}\n`));
    return verdicts.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
  } catch (error) {
    print(hide(error instanceof Error ? error.message : String(error)));
    return 2;
  } finally {
    await engine?.stop();
  }
}
