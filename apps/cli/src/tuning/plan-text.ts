import type { JobPlan } from '@slipway/contracts';
import { fields, table } from '../table.js';

/** What a job would do, for a terminal: facts, settings with their reasons, warnings. */
export const planText = ({ settings, warnings, ...plan }: JobPlan): string => {
  const { seconds, memory_bytes: memory } = plan;
  const facts = fields([
    ['Base', plan.base],
    ['Trainer', plan.trainer],
    ['Keep set', plan.keep_set ? `${plan.keep_set.name}@${plan.keep_set.version}` : null],
    ['Examples', `${plan.examples}, ${plan.held_out} kept for measuring, ${plan.left_out} left out`],
    ['Steps', plan.steps],
    ['Learned tokens', plan.learned_tokens],
    ['Time', seconds === null ? 'unknown until this base was trained once' : `${seconds.low} to ${seconds.high} s (${seconds.from})`],
    ['Memory', memory === null ? 'unknown' : `about ${Math.ceil(memory / 2 ** 20)} MiB`],
    ['Runs', plan.placement],
  ]);
  const rows = table(
    ['SETTING', 'VALUE', 'WHY'],
    settings.map(({ name, value, reason }) => [name, String(value), reason]),
  );
  return [facts, rows, ...warnings.map(({ message }) => `Warning: ${message}`)].join('\n\n');
};
