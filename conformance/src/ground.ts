import { exec } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Answer } from './answer.js';
import type { SpareKey } from './case.js';
import type { Engine } from './engine.js';
import type { Options } from './options.js';
import type { Ground } from './run-cases.js';
import { Target } from './target.js';

/** How long a target may take to notice that its engine has come. */
const READY_MS = 120_000;
const ASK_AGAIN_MS = 500;
const HELLO = { messages: [{ role: 'user', content: 'Hello' }], input: 'Hello' };

/** A target that cannot be tested at all. */
export class TargetError extends Error {}

/**
 * What the options name, once it answers.
 * @throws TargetError when the target names no model, or does not use the engine
 */
export async function groundFor(options: Options, engine: Engine | undefined): Promise<Ground> {
  const { url, key, store, spareKeys } = options;
  const target = { url, key, model: options.model ?? (await firstModel(url, key, engine !== undefined)) };
  const named = Object.entries(options.others).map(([name, other]) => [name, { ...other, key }] as const);
  if (engine) {
    await whenReady(new Target(target), '/v1/chat/completions');
    if (engine.requests.length === 0) throw new TargetError(`The target does not use the scripted engine at ${engine.url}.`);
    for (const [name, other] of named) {
      const path = name === 'embeddings' || name === 'matryoshka' ? '/v1/embeddings' : '/v1/chat/completions';
      if (name !== 'stopped') await whenReady(new Target(other), path);
    }
  }
  return {
    ...{ target, store, spareKeys: spareKeys.map((value) => spareKey(value, options)) },
    ...(engine && { engine }),
    others: { ...Object.fromEntries(named), ...(store && { store: target }) },
  };
}

function spareKey(value: string, { revoke = '', environment }: Options): SpareKey {
  const run = promisify(exec);
  return { value, revoke: async () => void (await run(revoke, { env: { ...environment, SPARE_KEY: value } })) };
}

/** @param waits whether a target without its engine is waited for */
async function firstModel(url: string, key: string, waits: boolean): Promise<string> {
  const list = (): Promise<Answer> => new Target({ url, key, model: '' }).send('/v1/models', '', { method: 'GET' });
  const answer = waits ? await firstGood(list) : await list();
  const [first] = answer.status === 200 ? ((answer.json['data'] ?? []) as { id?: string }[]) : [];
  if (first?.id === undefined) throw new TargetError(`${url}/v1/models answers with ${answer.status} and names no model; give --model.`);
  return first.id;
}

/** @throws TargetError unless the target answers before long */
async function whenReady(target: Target, path: string): Promise<void> {
  const { status, text } = await firstGood(() => target.send(path, { model: target.model, ...HELLO }));
  if (status !== 200) throw new TargetError(`${target.url} does not answer with the scripted engine: ${status} ${text}`);
}

/** The first answer with 200, or the last one before the time is over. */
async function firstGood(ask: () => Promise<Answer>): Promise<Answer> {
  const end = performance.now() + READY_MS;
  for (;;) {
    const answer = await ask();
    if (answer.status === 200 || performance.now() > end) return answer;
    await sleep(ASK_AGAIN_MS);
  }
}
