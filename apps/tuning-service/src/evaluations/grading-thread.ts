import { parentPort } from 'node:worker_threads';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ThreadGrader } from './grade.js';

/** What the thread is asked: to grade a text, or with null whether it could. */
export interface GradingTask {
  readonly grader: ThreadGrader;
  readonly text: string | null;
}

function expressionOf({ pattern, ignore_case: ignores }: Extract<ThreadGrader, { kind: 'regex' }>): RegExp {
  const flags = ignores === true ? 'i' : '';
  try {
    return new RegExp(pattern, `${flags}u`);
  } catch {
    // Some expressions are only valid without the flag.
    return new RegExp(pattern, flags);
  }
}

function testOf(grader: ThreadGrader): (text: string) => boolean {
  if (grader.kind === 'regex') {
    const expression = expressionOf(grader);
    return (text) => expression.test(text);
  }
  const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true, addUsedSchema: false });
  const { $schema: _, ...schema } = grader.schema;
  const validate = ajv.compile(schema);
  return (text) => {
    try {
      return validate(JSON.parse(text));
    } catch {
      return false;
    }
  };
}

parentPort?.on('message', ({ grader, text }: GradingTask) => {
  try {
    const test = testOf(grader);
    parentPort?.postMessage({ passed: text === null || test(text) });
  } catch (error) {
    parentPort?.postMessage({ fault: error instanceof Error ? error.message.slice(0, 200) : 'unknown' });
  }
});
