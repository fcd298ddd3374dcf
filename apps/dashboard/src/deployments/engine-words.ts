import type { ConsoleReply } from '@slipway/contracts';
import { formatCount } from '../format/number.js';

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
  other: 'An engine',
};

function answering({ server, context, models }: EngineTest): EngineWords {
  const who = SERVERS[server ?? 'other'];
  if (models === null) {
    return { look: 'warn', text: `${who} answers, but tells no models.`, advice: 'Whether it has this one shows when it is loaded.' };
  }
  const text =
    context === null ? 'answers and has the model.' : `answers, has the model and takes ${formatCount(context)} tokens of context.`;
  return { look: 'good', text: `${who} ${text}`, advice: null };
}

/** Words the outcome of one test. */
export function engineWords(test: EngineTest): EngineWords {
  switch (test.outcome) {
    case 'answers':
      return answering(test);
    case 'model_unknown':
      return {
        look: 'warn',
        text: `${SERVERS[test.server ?? 'other']} answers, but does not list this model.`,
        advice: test.models?.length === 0 ? 'It lists no model at all: load one there.' : 'Correct the name of the model.',
      };
    case 'refused':
      return { look: 'bad', text: 'The engine refuses the key.', advice: 'Correct the key of the engine.' };
    case 'unreachable':
      return { look: 'bad', text: test.detail ?? 'The engine does not answer.', advice: 'Start the engine, or correct its address.' };
    case 'not_allowed':
      return {
        look: 'bad',
        text: 'This worker may not call that host.',
        advice: 'The operator has to add it to ENGINE_HOSTS of the worker.',
      };
    case 'silent':
      return { look: 'warn', text: 'The worker did not answer.', advice: 'Try again; if it stays so, the operator has to look at it.' };
  }
}
