import type { Tool } from '@slipway/contracts';
import { expect } from 'vitest';
import type { CallFamily } from '../../libs/engine-llama/src/tool-calls/call-family.js';
import { CallReader } from '../../libs/engine-llama/src/tool-calls/call-reader.js';
import { detectFamily } from '../../libs/engine-llama/src/tool-calls/detect-family.js';
import { TEMPLATES } from '../engines/family-templates.js';

/** The families whose calls are known, by name. */
export const FAMILIES = Object.entries(TEMPLATES).map(([name, template]) => ({ name, family: detectFamily(template)! }));

/** Arguments of the one call that an answer holds. */
export function argumentsIn(answer: string, tools: readonly Tool[], family: CallFamily): unknown {
  let [args, whole] = ['', false];
  const sink = {
    text: () => undefined,
    begin: () => undefined,
    args: (piece: string) => void (args += piece),
    close: () => void (whole = true),
    broken: () => expect.fail('The call is broken.'),
  };
  const reader = new CallReader(family, sink, tools);
  reader.push(answer);
  reader.end();
  expect([answer, whole]).toEqual([answer, true]);
  return JSON.parse(args || '{}');
}
