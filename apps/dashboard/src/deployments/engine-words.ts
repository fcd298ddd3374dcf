import type { ConsoleReply } from '@slipway/contracts';
import { formatCount, plural } from '../format/number.js';

export type EngineTest = ConsoleReply<'engines/test'>['tests'][number];

/** What a worker found, for people. */
export interface EngineWords {
  readonly look: 'good' | 'warn' | 'bad';
  readonly text: string;
  /** The one thing to do about it. */
  readonly advice: string | null;
}

const SERVERS: Readonly<Record<NonNullable<EngineTest['server']>, string>> = {
  vllm: 'vLLM',
  sglang: 'SGLang',
  'llama-server': 'llama-server',
  ollama: 'Ollama',
  other: 'The engine',
};

const serverName = ({ server }: EngineTest): string => SERVERS[server ?? 'other'];

function answering(test: EngineTest, model: string): EngineWords {
  const { models, context, dimensions } = test;
  const who = serverName(test);
  if (models === null) return { look: 'warn', text: `${who} answers and lists no models.`, advice: 'Enter the name of the model.' };
  if (models.length === 0) return { look: 'warn', text: `${who} answers and has no model.`, advice: 'Load a model there.' };
  if (model !== '' && !models.includes(model)) {
    return { look: 'warn', text: `${who} answers, but does not list “${model}”.`, advice: 'Choose one of its models.' };
  }
  const takes = context === null ? '' : `, up to ${formatCount(context)} tokens of context`;
  const makes = dimensions === undefined ? '' : `, which makes embeddings of ${formatCount(dimensions)} numbers`;
  const has = model === '' ? `lists ${plural(models.length, 'model')}` : `has the model${makes}`;
  return { look: 'good', text: `${who} answers and ${has}${takes}.`, advice: null };
}

/** Words the outcome of one test. @param model the name that is wanted; empty = none was chosen yet */
export function engineWords(test: EngineTest, model: string): EngineWords {
  switch (test.outcome) {
    case 'answers':
    case 'model_unknown':
      return answering(test, model);
    case 'refused':
      return { look: 'bad', text: test.detail ?? 'The engine refuses the credential.', advice: 'Correct the engine credential.' };
    case 'unreachable':
      return { look: 'bad', text: test.detail ?? 'The engine does not answer.', advice: 'Start the engine, or correct its address.' };
    case 'not_allowed':
      return {
        look: 'bad',
        text: 'This worker may not call that host.',
        advice: 'The operator needs to add it to ENGINE_HOSTS of the worker.',
      };
    case 'silent':
      return {
        look: 'warn',
        text: 'The worker did not answer.',
        advice: 'Try again; if this persists, ask the operator to check the worker.',
      };
  }
}

/** Every model that any worker saw there, in the order of the engine. */
export const listedModels = (tests: readonly EngineTest[]): readonly string[] => [...new Set(tests.flatMap(({ models }) => models ?? []))];

/** What the workers are called: their hosts, and a part of their own name where one host has several. */
export function workerNames(tests: readonly Pick<EngineTest, 'host' | 'agent'>[]): readonly string[] {
  return tests.map(({ host, agent }, index) => {
    const isAlone = tests.every((other, at) => at === index || other.host !== host);
    return isAlone ? host : `${host} (${agent === undefined ? `worker ${index + 1}` : agent.slice(-6)})`;
  });
}
