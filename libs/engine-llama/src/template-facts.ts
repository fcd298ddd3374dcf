import type { CanonicalRequest } from '@slipway/contracts';
import { type ChatTemplate, type TemplateMessage, type TemplateTool, textArguments } from '@slipway/model-text';
import type { ReasoningMarks } from './reasoning-splitter.js';
import type { CallFamily } from './tool-calls/call-family.js';
import { detectFamily } from './tool-calls/detect-family.js';

type Reasoning = CanonicalRequest['reasoning'];
type Args = Readonly<Record<string, string | number | boolean>>;

const MARKS: readonly ReasoningMarks[] = [
  { open: '<think>', close: '</think>' },
  { open: '[THINK]', close: '[/THINK]' },
  { open: '<|START_THINKING|>', close: '<|END_THINKING|>' },
  { open: '<seed:think>', close: '</seed:think>' },
];
/** Variables by which templates switch reasoning on and off. */
const SWITCHES: readonly { readonly variable: string; readonly used: RegExp }[] = [
  { variable: 'enable_thinking', used: /\benable_thinking\b/ },
  { variable: 'thinking', used: /(?:\bif|\bnot|\band|\bor|[,(=])\s*thinking\b(?!\s*[.(])/ },
];
const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'thinking'] as const;
const readsField = (source: string, field: string): boolean => new RegExp(`\\bm(?:essage|sg)?(?:\\.|\\[['"])${field}\\b`).test(source);
const EFFORT = /\breasoning_effort\b/;
const BUDGET = /\bthinking_budget\b/;

const PROBE_TOOL: TemplateTool = {
  type: 'function',
  function: { name: 'probe_tool_7', description: 'Probe.', parameters: { type: 'object', properties: {} } },
};

const PROBE_ARGUMENTS = { probe_key: 'probe value' };

/** What a chat template can express. */
export class TemplateFacts {
  /** How calls are written; null = tools have no place in the template. */
  readonly family: CallFamily | null;
  /** What reasoning stands between; null = the model does not reason. */
  readonly reasoning: ReasoningMarks | null;
  readonly canContinue: boolean;
  /** Whether the template takes the arguments of calls as JSON text only. */
  readonly textArguments: boolean;
  /** Whether the template is the model's own, and may look at variables. */
  readonly ownTemplate: boolean;
  /** Whether reasoning can be steered by the template's variables. */
  readonly steersReasoning: boolean;
  /** What the template calls the reasoning of a message. */
  readonly reasoningField: 'reasoning_content' | 'reasoning' | 'thinking';
  readonly #switches: readonly string[];
  readonly #effort: boolean;
  readonly #budget: boolean;

  constructor(template: ChatTemplate) {
    const { source } = template;
    this.family = rendersTools(template) ? detectFamily(source) : null;
    this.reasoning = this.family?.reasoning ?? MARKS.find(({ close }) => source.includes(close)) ?? null;
    this.textArguments = wantsTextArguments(template);
    this.reasoningField = REASONING_FIELDS.find((field) => readsField(source, field)) ?? 'reasoning_content';
    this.ownTemplate = template.ends.length === 0;
    this.canContinue = rendersOpenEnd(template);
    this.#switches = SWITCHES.filter(({ used }) => used.test(source)).map(({ variable }) => variable);
    this.#effort = EFFORT.test(source);
    this.#budget = BUDGET.test(source);
    this.steersReasoning = this.#switches.length > 0 || this.#effort || this.#budget;
  }

  /** Variables of the template for what a request says about reasoning. */
  reasoningArgs(reasoning: Reasoning): Args {
    if (!reasoning) return {};
    const { effort, budget } = reasoning;
    const enabled = reasoning.enabled ?? (effort === undefined ? undefined : effort !== 'none');
    return {
      ...(enabled !== undefined && Object.fromEntries(this.#switches.map((name) => [name, enabled]))),
      ...(this.#effort && effort !== undefined && { reasoning_effort: effort }),
      ...(this.#budget && budget !== undefined && { thinking_budget: budget }),
    };
  }
}

function rendersTools(template: ChatTemplate): boolean {
  try {
    return template.render({ messages: [{ role: 'user', content: 'x' }], tools: [PROBE_TOOL] }).includes(PROBE_TOOL.function.name);
  } catch {
    return false;
  }
}

function rendersOpenEnd(template: ChatTemplate): boolean {
  const messages = [
    { role: 'user' as const, content: 'x' },
    { role: 'assistant' as const, content: 'probe of an open end' },
  ];
  try {
    return template.render({ messages, continues: true }).endsWith('probe of an open end');
  } catch {
    return false;
  }
}

/** Whether arguments given as an object are refused or printed as Python prints a dict, and arguments given as JSON text come out. */
function wantsTextArguments(template: ChatTemplate): boolean {
  const call = { id: 'probe0007', type: 'function' as const, function: { name: PROBE_TOOL.function.name, arguments: PROBE_ARGUMENTS } };
  const messages = [
    { role: 'user' as const, content: 'x' },
    { role: 'assistant' as const, content: '', tool_calls: [call] },
    { role: 'tool' as const, content: 'y', tool_call_id: call.id },
  ];
  return !printsArguments(template, messages) && printsArguments(template, textArguments(messages));
}

function printsArguments(template: ChatTemplate, messages: readonly TemplateMessage[]): boolean {
  try {
    const rendered = template.renderAsGiven({ messages, tools: [PROBE_TOOL] });
    return ['probe_key', 'probe value'].every((text) => rendered.includes(text)) && !rendered.includes("'probe_key': 'probe value'");
  } catch {
    return false;
  }
}
