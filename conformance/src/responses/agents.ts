import type { Part, Stage } from '../case.js';
import { expectLike, expectThat, TEXT, that } from '../check.js';
import { openaiFor } from '../clients.js';
import { call, finish, type PlayedCall, says, whole } from '../engine-answers.js';
import { lineOf } from '../engine-lines.js';
import { askResponses, expectRefused, type Json, schema, tool, userSays } from './parts.js';

/** What Codex sends with each turn, in small. */
const CODEX: Json = {
  instructions: 'You are a coding agent.',
  tools: [
    {
      ...tool('shell'),
      parameters: { type: 'object', properties: { command: { type: 'array', items: { type: 'string' } } }, required: ['command'] },
    },
    {
      type: 'custom',
      name: 'apply_patch',
      description: 'Patches.',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' },
    },
    { type: 'namespace', name: 'mcp__docs', description: 'Docs.', tools: [tool('search')] },
    { type: 'web_search' },
  ],
  ...{ tool_choice: 'auto', parallel_tool_calls: false, reasoning: { summary: 'auto' }, store: false, stream: true },
  ...{ include: ['reasoning.encrypted_content'], prompt_cache_key: 'session', client_metadata: { app: 'cli' } },
};
const ENVIRONMENT = { type: 'message', role: 'user', content: [{ type: 'input_text', text: '<environment_context/>' }] };
const ASKED = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'List the files.' }] };

/** Runs a turn as Codex does: the items that were done are what happened. */
async function codexTurn(stage: Stage, input: readonly Json[], body: Json = CODEX): Promise<readonly Json[]> {
  const { chunks } = await askResponses(stage, { ...body, input: [ENVIRONMENT, ASKED, ...input] });
  expectLike('the last event', chunks.at(-1), {
    type: 'response.completed',
    response: { id: TEXT, usage: { total_tokens: that('a number', isNumber) } },
  });
  return chunks.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item as Json);
}

const isNumber = (came: unknown): boolean => typeof came === 'number';
const asks = (played: PlayedCall): ReturnType<typeof whole> => whole(...call(played), finish('tool_calls'));

const codex: Part = {
  number: 48,
  promise: 'the turns that Codex sends work: a shell call, an MCP call, a patch, an answer in a form',
  breaks: 'Codex answers "unsupported call", applies no patch, or stops',
  needs: ['engine'],
  run: async (stage) => {
    stage.engine.play(asks({ name: 'shell', pieces: ['{"command":["ls"]}'] }));
    const shell = await codexTurn(stage, []);
    expectLike('items', shell, [{ type: 'function_call', name: 'shell', call_id: TEXT, arguments: '{"command":["ls"]}' }]);
    const listed = { type: 'function_call_output', call_id: shell[0]?.['call_id'], output: 'a.txt' };
    stage.engine.play(asks({ name: 'mcp__docs__search', pieces: ['{}'] }));
    const searched = await codexTurn(stage, [...shell, listed]);
    expectLike('items', searched, [{ type: 'function_call', name: 'search', namespace: 'mcp__docs' }]);
    const found = { type: 'function_call_output', call_id: searched[0]?.['call_id'], output: [{ type: 'input_text', text: 'found' }] };
    stage.engine.play(asks({ name: 'apply_patch', pieces: ['{"input":"*** Begin Patch\\n"}'] }));
    const patched = await codexTurn(stage, [...shell, listed, ...searched, found]);
    expectLike('items', patched, [{ type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch\n' }]);
    const done = { type: 'custom_tool_call_output', call_id: patched[0]?.['call_id'], output: 'Done.' };
    stage.engine.play(says('{"a":1}'));
    const text = { format: { type: 'json_schema', name: 'out', schema, strict: true } };
    const final = await codexTurn(stage, [...shell, listed, ...searched, found, ...patched, done], { ...CODEX, text });
    expectLike('items', final, [{ type: 'message', content: [{ text: '{"a":1}' }] }]);
    expectLike('request to the engine', stage.engine.last, { response_format: { type: 'json_schema' } });
  },
};

const aiSdk: readonly Part[] = [
  {
    number: 49,
    promise: 'the AI SDK gets a tool loop and a second turn with store: false',
    breaks: 'no chat of the AI SDK gets past its first turn',
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(asks({ name: 'f', pieces: ['{}'] }));
      const body = { tools: [{ ...tool('f'), strict: true }], store: false };
      const input: Json[] = [userSays([{ type: 'input_text', text: 'x' }])];
      const { ok } = await askResponses(stage, { ...body, input });
      const [called] = ok['output'] as Json[];
      input.push({ type: 'function_call', call_id: called?.['call_id'], name: 'f', arguments: '{}' });
      input.push({ type: 'function_call_output', call_id: called?.['call_id'], output: '"sun"' });
      stage.engine.play(says('Sun.'));
      const second = (await askResponses(stage, { ...body, input })).ok['output'];
      expectLike('output', second, [{ type: 'message', content: [{ text: 'Sun.' }] }]);
      input.push({ role: 'assistant', content: [{ type: 'output_text', text: 'Sun.' }] }, userSays('And now?'));
      (await askResponses(stage, { ...body, input })).expectStatus(200);
      const lines = ['user: x', 'assistant: ', 'tool: "sun"', 'assistant: Sun.', 'user: And now?'];
      expectLike('messages of the engine', stage.engine.last.messages?.map(lineOf), lines);
    },
  },
  {
    number: 49,
    promise: 'the AI SDK without store: false is told what to set, once',
    breaks: 'the model answers the second turn without the first one',
    stateless: true,
    run: async (stage) => {
      const input = [userSays('x'), { type: 'item_reference', id: 'msg_1' }, userSays('y')];
      const answer = await askResponses(stage, { input });
      expectRefused(stage, answer, { param: 'input[1].id', code: 'item_not_found', words: /store/ });
      expectLike('x-should-retry', answer.headers['x-should-retry'], 'false');
    },
  },
];

const sdk: Part = {
  number: 50,
  promise: 'the openai SDK gets a plain, a streamed, a tool and a structured answer',
  breaks: 'the SDK does not work at all',
  run: async (stage) => {
    const client = openaiFor(stage.target);
    const asked = { model: stage.target.model, input: 'What is the weather in Paris?' };
    const plain = await client.responses.create(asked);
    expectThat('a text', plain.output_text !== '', plain.output_text);
    const streamed = await client.responses.stream(asked).finalResponse();
    expectLike('status of a stream', streamed.status, 'completed');
    const tools = [{ type: 'function' as const, name: 'f', parameters: { type: 'object', properties: {} }, strict: null }];
    const called = await client.responses.create({ ...asked, tools, tool_choice: 'required' });
    expectLike('call', called.output.at(-1), { type: 'function_call', name: 'f', arguments: TEXT });
    const text = { format: { type: 'json_schema' as const, name: 'x', schema, strict: true } };
    const formed = await client.responses.parse({ ...asked, text });
    expectLike('structured', formed.output_parsed, { a: that('a number', isNumber) });
  },
};

/** What real agents send, by their bytes or by their SDK. */
export const responseAgents: readonly Part[] = [codex, ...aiSdk, sdk];
