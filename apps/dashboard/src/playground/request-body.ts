import type { Contract } from '../snippets/inference-snippets.js';
import type { Past, Question, ToolCall } from './conversation.js';
import type { Wishes } from './settings.js';

/** Everything that a request is made of, in no contract's form. */
export interface Ask {
  /** The deployment's slug. */
  readonly model: string;
  readonly wishes: Wishes;
  readonly past: readonly Past[];
  readonly question: Question;
}

type Body = Readonly<Record<string, unknown>>;

/** Max tokens of a messages request where none is set: the contract requires a number. */
export const LONGEST = 1_024;

const FORM_NAME = 'answer';

/** Arguments as the object that they are; cut off or broken ones are lost. */
function inputOf({ args }: ToolCall): object {
  try {
    const value = JSON.parse(args === '' ? '{}' : args) as unknown;
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

const chatQuestion = ({ text, results }: Question): object[] => [
  ...results.map(({ id, text: content }) => ({ role: 'tool', tool_call_id: id, content })),
  ...(text === '' ? [] : [{ role: 'user', content: text }]),
];

const chatAnswer = ({ answer: { text, calls } }: Past): object => ({
  role: 'assistant',
  content: text === '' ? null : text,
  ...(calls.length > 0 && {
    tool_calls: calls.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: args } })),
  }),
});

function chatBody({ model, wishes, past, question }: Ask): Body {
  const { system, temperature, topP, maxTokens, seed, stop, form, tools, toolChoice, reasoning } = wishes;
  return {
    model,
    messages: [
      ...(system === undefined ? [] : [{ role: 'system', content: system }]),
      ...past.flatMap((one) => [...chatQuestion(one.question), chatAnswer(one)]),
      ...chatQuestion(question),
    ],
    stream: true,
    stream_options: { include_usage: true },
    temperature,
    top_p: topP,
    max_tokens: maxTokens,
    seed,
    stop,
    response_format: form && chatForm(form),
    tools: tools?.map(({ name, description, parameters }) => ({ type: 'function', function: { name, description, parameters } })),
    tool_choice: toolChoice,
    reasoning_effort: reasoning === 'off' ? 'none' : reasoning,
  };
}

const chatForm = ({ schema }: NonNullable<Wishes['form']>): object =>
  schema === null ? { type: 'json_object' } : { type: 'json_schema', json_schema: { name: FORM_NAME, schema, strict: true } };

function messagesQuestion({ text, results }: Question): object {
  const blocks = results.map(({ id, text: content }) => ({ type: 'tool_result', tool_use_id: id, content }));
  return { role: 'user', content: blocks.length === 0 ? text : [...blocks, ...(text === '' ? [] : [{ type: 'text', text }])] };
}

const messagesAnswer = ({ answer: { text, calls } }: Past): object => ({
  role: 'assistant',
  content: [
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...calls.map((call) => ({ type: 'tool_use', id: call.id, name: call.name, input: inputOf(call) })),
  ],
});

const CHOICES = { required: { type: 'any' }, none: { type: 'none' } } as const;

function messagesBody({ model, wishes, past, question }: Ask): Body {
  const { system, temperature, topP, maxTokens, stop, form, tools, toolChoice, reasoning } = wishes;
  const effort = reasoning === 'off' ? undefined : reasoning;
  const format = form?.schema ? { type: 'json_schema', schema: form.schema } : undefined;
  return {
    model,
    max_tokens: maxTokens ?? LONGEST,
    system,
    messages: [...past.flatMap((one) => [messagesQuestion(one.question), messagesAnswer(one)]), messagesQuestion(question)],
    stream: true,
    temperature,
    top_p: topP,
    stop_sequences: stop,
    tools: tools?.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
    tool_choice: toolChoice && CHOICES[toolChoice],
    thinking: reasoning && (effort === undefined ? { type: 'disabled' } : { type: 'adaptive' }),
    output_config: format || effort ? { format, effort } : undefined,
  };
}

const responsesQuestion = ({ text, results }: Question): object[] => [
  ...results.map(({ id, text: output }) => ({ type: 'function_call_output', call_id: id, output })),
  ...(text === '' ? [] : [{ role: 'user', content: text }]),
];

const responsesAnswer = ({ answer: { text, calls } }: Past): object[] => [
  ...(text === '' ? [] : [{ role: 'assistant', content: text }]),
  ...calls.map((call) => ({ type: 'function_call', call_id: call.id, name: call.name, arguments: JSON.stringify(inputOf(call)) })),
];

function responsesBody({ model, wishes, past, question }: Ask): Body {
  const { system, temperature, topP, maxTokens, form, tools, toolChoice, reasoning } = wishes;
  return {
    model,
    instructions: system,
    input: [...past.flatMap((one) => [...responsesQuestion(one.question), ...responsesAnswer(one)]), ...responsesQuestion(question)],
    stream: true,
    store: false,
    temperature,
    top_p: topP,
    max_output_tokens: maxTokens,
    text: form && { format: responsesFormat(form) },
    tools: tools?.map(({ name, description, parameters }) => ({ type: 'function', name, description, parameters, strict: false })),
    tool_choice: toolChoice,
    reasoning: reasoning && { effort: reasoning === 'off' ? 'none' : reasoning },
  };
}

const responsesFormat = ({ schema }: NonNullable<Wishes['form']>): object =>
  schema === null ? { type: 'json_object' } : { type: 'json_schema', name: FORM_NAME, schema, strict: true };

const BODIES: Readonly<Record<Contract, (ask: Ask) => Body>> = { chat: chatBody, responses: responsesBody, messages: messagesBody };

/** The body of a request in one of the contracts; what it has no field for is left out. */
export function requestBody(contract: Contract, ask: Ask): Body {
  return JSON.parse(JSON.stringify(BODIES[contract](ask))) as Body;
}
