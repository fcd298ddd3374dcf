import { type ChatTemplate, TemplateFacts } from '@slipway/model-text';
import type { ReasoningMarks } from './reasoning-splitter.js';
import type { CallFamily } from './tool-calls/call-family.js';
import { detectFamily } from './tool-calls/detect-family.js';

const MARKS: readonly ReasoningMarks[] = [
  { open: '<think>', close: '</think>' },
  { open: '[THINK]', close: '[/THINK]' },
  { open: '<|START_THINKING|>', close: '<|END_THINKING|>' },
  { open: '<seed:think>', close: '</seed:think>' },
];

/** How a model's answers are written, as its chat template shows. */
export interface AnswerFormat {
  /** What the template itself can express. */
  readonly facts: TemplateFacts;
  /** How calls are written; null = the template takes no tools, or writes calls in an unknown way. */
  readonly family: CallFamily | null;
  /** Marks around reasoning; null = the model does not reason. */
  readonly reasoning: ReasoningMarks | null;
}

/** Detects the format of a model's answers. Renders the template with a few probes. */
export function answerFormat(template: ChatTemplate): AnswerFormat {
  const { source } = template;
  const detected = detectFamily(source);
  const facts = new TemplateFacts(template, detected);
  const family = facts.takesTools ? detected : null;
  return { facts, family, reasoning: family?.reasoning ?? MARKS.find(({ close }) => source.includes(close)) ?? null };
}
