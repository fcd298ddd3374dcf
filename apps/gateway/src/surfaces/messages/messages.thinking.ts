import type { Reasoning } from '@slipway/contracts';
import { fault } from './messages.fault.js';
import type { CountFields } from './messages.schema.js';

/** What the client sees of a model's thoughts: all, only that there are some, or nothing. */
export type ThinkingDisplay = 'shown' | 'omitted' | 'dropped';

/** Whether the model thinks, and what is shown of it. */
export interface Thinking {
  readonly reasoning: Reasoning;
  readonly display: ThinkingDisplay;
}

type ThinkingField = NonNullable<CountFields['thinking']>;

/**
 * Thinking is off unless it is asked for. Who asks for an effort and for nothing else leaves it to the model, and is shown nothing.
 * @param endsWithResults the model is about to answer results of its calls.
 * @throws ServiceError for a budget that leaves no room for an answer.
 */
export function readThinking({ thinking, max_tokens: max, output_config: config }: CountFields, endsWithResults: boolean): Thinking {
  const budget = readBudget(thinking, max);
  const effort = config?.effort ?? undefined;
  const steered = { ...(effort !== undefined && { effort }), ...(budget !== undefined && { budget }) };
  if (thinking && isOn(thinking, endsWithResults)) return { reasoning: { enabled: true, ...steered }, display: displayOf(thinking) };
  const isLeftToModel = !thinking && effort !== undefined;
  return { reasoning: isLeftToModel ? steered : { enabled: false }, display: 'dropped' };
}

function readBudget(thinking: ThinkingField | undefined, max = Number.POSITIVE_INFINITY): number | undefined {
  if (thinking?.type !== 'enabled') return undefined;
  if (thinking.budget_tokens >= max) throw fault('invalid_value', 'thinking.budget_tokens', 'Expected less than max_tokens.');
  return thinking.budget_tokens;
}

function isOn({ type }: ThinkingField, endsWithResults: boolean): boolean {
  return type === 'between_tools' ? endsWithResults : type !== 'disabled';
}

const displayOf = (thinking: ThinkingField): ThinkingDisplay =>
  'display' in thinking && thinking.display === 'omitted' ? 'omitted' : 'shown';
