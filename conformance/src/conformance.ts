import { exec } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { ContractName, Part, SpareKey } from './case.js';
import { chatCases } from './chat/cases.js';
import { embeddingsCases } from './embeddings/cases.js';
import { Engine } from './engine.js';
import { messagesCases } from './messages/cases.js';
import { type Options, readOptions, USAGE, UsageError } from './options.js';
import { recordOf, reportOf } from './report.js';
import { responsesCases } from './responses/cases.js';
import { type Chosen, type Ground, runCases, type Verdict } from './run-cases.js';
import { Target } from './target.js';

/** The acceptance cases of each contract, in parts. */
export const CASES: Readonly<Record<ContractName, readonly Part[]>> = {
  chat: chatCases,
  messages: messagesCases,
  responses: responsesCases,
  embeddings: embeddingsCases,
};

/** How long a target may take to notice that its engine has come. */
const ENGINE_SEEN_MS = 120_000;

/** A target that cannot be tested at all. */
class TargetError extends Error {}

/** Where the tool writes. */
export interface Output {
  out(text: string): void;
}

/** The parts of the contracts and numbers that were chosen. */
export const choose = (contracts: readonly ContractName[], cases?: ReadonlySet<number>): Chosen[] =>
  contracts.flatMap((contract) => CASES[contract].filter(({ number }) => cases?.has(number) ?? true).map((part) => ({ contract, part })));

/**
 * Runs the cases that a command line asks for, prints the score, and gives the exit code: 0 when no case failed, 1 when one did,
 * 2 when nothing could be run. The keys never appear in what is written.
 */
export async function runConformance(args: readonly string[], output: Output): Promise<number> {
  let engine: Engine | undefined;
  let hide = (text: string): string => text;
  try {
    const options = readOptions(args);
    hide = (text) => [options.key, ...options.spareKeys].reduce((rest, key) => rest.replaceAll(key, '(key)'), text);
    engine = options.engine && (await Engine.start(options.engine));
    const ground = await groundFor(options, engine);
    const verdicts = await runCases(ground, choose(options.contracts, options.cases));
    if (verdicts.length === 0) throw new TargetError('No case has such a number.');
    output.out(hide(reportOf(verdicts)));
    if (options.json !== undefined) await writeFile(options.json, hide(`${JSON.stringify(recordOf(options.url, verdicts), null, 2)}\n`));
    return verdicts.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
  } catch (error) {
    if (error instanceof UsageError) output.out(`${error.message}\n\n${USAGE}`);
    else output.out(hide(error instanceof TargetError ? error.message : `The run failed: ${String(error)}`));
    return 2;
  } finally {
    await engine?.stop();
  }
}

async function groundFor(options: Options, engine: Engine | undefined): Promise<Ground> {
  const { url, key, store, others, spareKeys, revoke = '' } = options;
  const target = { url, key, model: options.model ?? (await firstModel(url, key)) };
  if (engine) await engineSeen(new Target(target), engine);
  return {
    target,
    ...(engine && { engine }),
    store,
    others: {
      ...Object.fromEntries(Object.entries(others).map(([name, other]) => [name, { ...other, key }])),
      ...(store && { store: target }),
    },
    spareKeys: spareKeys.map((value) => spareKey(value, revoke)),
  };
}

function spareKey(value: string, command: string): SpareKey {
  const run = promisify(exec);
  return { value, revoke: async () => void (await run(command, { env: { ...process.env, SPARE_KEY: value } })) };
}

async function firstModel(url: string, key: string): Promise<string> {
  const answer = await new Target({ url, key, model: '' }).send('/v1/models', '', { method: 'GET' });
  const [first] = answer.status === 200 ? ((answer.json['data'] ?? []) as { id?: string }[]) : [];
  if (first?.id === undefined) throw new TargetError(`${url}/v1/models answers with ${answer.status} and names no model; give --model.`);
  return first.id;
}

/** @throws TargetError unless the target asks the scripted engine before long */
async function engineSeen(target: Target, engine: Engine): Promise<void> {
  const end = Date.now() + ENGINE_SEEN_MS;
  let last = '';
  for (;;) {
    const answer = await target.send('/v1/chat/completions', { model: target.model, messages: [{ role: 'user', content: 'Hello' }] });
    if (answer.status === 200 && engine.requests.length > 0) return;
    last = answer.status === 200 ? 'another engine answers' : `status ${answer.status}`;
    if (Date.now() > end || answer.status === 200) break;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new TargetError(`The target does not use the scripted engine at ${engine.url}: ${last}.`);
}

export { Engine, runCases };
export type { Ground, Verdict };
