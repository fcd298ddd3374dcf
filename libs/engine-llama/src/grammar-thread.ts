import { parentPort } from 'node:worker_threads';
import { isServiceError, ServiceError } from '@slipway/contracts';
import { makeGrammar } from './answer-grammar.js';
import { isOutOfTime } from './grammar/compile-budget.js';
import type { GrammarTask, GrammarTaskResult } from './grammar-tasks.js';
import { SchemaChecker } from './schema-checker.js';
import { threadStats, workClock } from './thread-clock.js';
import { familyNamed } from './tool-calls/detect-family.js';

const checker = new SchemaChecker();
const stats = threadStats();
const clock = workClock(stats);

function resultOf(task: GrammarTask): unknown {
  if (task.kind === 'check') return checker.faultOf(task.schema, task.text);
  const grammar = makeGrammar(task.request, task.family === null ? null : familyNamed(task.family), clock);
  for (const { schema, field, held } of grammar?.checks ?? []) if (!held) naming(field, () => checker.prepare(schema));
  return grammar;
}

function naming(param: string, make: () => void): void {
  try {
    make();
  } catch (error) {
    if (!isServiceError(error)) throw error;
    throw new ServiceError(error.code, error.message, { param });
  }
}

function answerTo(task: GrammarTask): GrammarTaskResult {
  try {
    return { value: resultOf(task) };
  } catch (error) {
    if (isServiceError(error)) {
      const { code, message, param } = error;
      return { refused: { code, message, param, late: isOutOfTime(error) } };
    }
    return { failed: error instanceof Error ? (error.stack ?? error.message) : 'unknown failure' };
  }
}

parentPort?.on('message', (task: GrammarTask) => parentPort?.postMessage(answerTo(task)));
parentPort?.postMessage({ ready: true, stats } satisfies GrammarTaskResult);
