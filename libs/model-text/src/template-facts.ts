import type { CanonicalRequest } from '@slipway/contracts';
import type { ChatTemplate, TemplateTool } from './chat-template.js';
import { type TemplateMessage, textArguments } from './template-messages.js';

type Reasoning = CanonicalRequest['reasoning'];
type Args = Readonly<Record<string, string | number | boolean>>;

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

/** What the prompt must observe about calls, beside what the template shows. */
export interface CallIds {
  /** Length of the alphanumeric ids that the template takes; absent = any id. */
  readonly idLength?: number;
}

/** What a chat template can express, found by reading its source and rendering probes. */
export class TemplateFacts {
  /** Whether a request may offer tools. */
  readonly takesTools: boolean;
  /** Length of the only call ids that the template takes; undefined = any. */
  readonly callIdLength: number | undefined;
  /** Whether the last message can be left open, for the answer to continue it. */
  readonly canContinue: boolean;
  /** Whether the template takes the arguments of calls as JSON text only. */
  readonly textArguments: boolean;
  /** Whether the template is the model's own and may use variables. */
  readonly ownTemplate: boolean;
  /** Whether the template's variables control reasoning. */
  readonly steersReasoning: boolean;
  /** Field of a message from which the template reads reasoning. */
  readonly reasoningField: 'reasoning_content' | 'reasoning' | 'thinking';
  readonly #switches: readonly string[];
  readonly #effort: boolean;
  readonly #budget: boolean;

  /** @param calls null = the caller cannot read this model's calls, so no tools are taken. */
  constructor(template: ChatTemplate, calls: CallIds | null = {}) {
    const { source } = template;
    this.takesTools = calls !== null && rendersTools(template);
    this.callIdLength = this.takesTools ? calls?.idLength : undefined;
    this.textArguments = wantsTextArguments(template);
    this.reasoningField = REASONING_FIELDS.find((field) => readsField(source, field)) ?? 'reasoning_content';
    this.ownTemplate = template.ends.length === 0;
    this.canContinue = rendersOpenEnd(template);
    this.#switches = SWITCHES.filter(({ used }) => used.test(source)).map(({ variable }) => variable);
    this.#effort = EFFORT.test(source);
    this.#budget = BUDGET.test(source);
    this.steersReasoning = this.#switches.length > 0 || this.#effort || this.#budget;
  }

  /** Template variables for the reasoning options of a request. */
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

/** Whether arguments given as JSON text are rendered, and those given as an object are refused or printed as a Python dict. */
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
