import type { Part } from '../case.js';
import { ABSENT, expectLike, expectThat, TEXT } from '../check.js';
import { call, finish, whole } from '../engine-answers.js';
import { askResponses, type Json, outputOf, tool, userSays } from './parts.js';

const namespace = (name: string, ...tools: readonly Json[]): Json => ({ type: 'namespace', name, description: 'Of the web.', tools });
const LARK = { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' };
const PATCH: Json = { type: 'custom', name: 'apply_patch', description: 'Patches.', format: LARK };
const RAW = '*** Begin Patch\n"a"\té\\\n*** End Patch';
const MCP = 'Codex wraps each MCP server in a namespace and answers "unsupported call" to flat or bare names';

/** The raw input of a custom call, cut in two where an escape stands. */
const rawPieces = (): readonly [string, string] => {
  const text = JSON.stringify({ input: RAW });
  const cut = text.indexOf('\\n') + 1;
  return [text.slice(0, cut), text.slice(cut)];
};

const namespaces: readonly Part[] = [
  {
    number: 21,
    promise: 'a namespaced tool has one name at the engine, and its call comes back with name and namespace',
    breaks: MCP,
    needs: ['engine'],
    run: async (stage) => {
      const body = { tools: [namespace('web', tool('look'))] };
      stage.engine.play(whole(...call({ name: 'web__look', pieces: ['{"q":1}'] }), finish('tool_calls')));
      const output = outputOf(await askResponses(stage, body));
      expectLike('tools of the engine', stage.engine.last.tools, [{ function: { name: 'web__look' } }]);
      expectLike('output', output, [{ type: 'function_call', name: 'look', namespace: 'web', call_id: TEXT, arguments: '{"q":1}' }]);
      const result = { type: 'function_call_output', call_id: output[0]?.['call_id'], output: 'sun' };
      (await askResponses(stage, { ...body, input: [userSays('x'), ...output, result] })).expectStatus(200);
      const assistant = stage.engine.last.messages?.find(({ role }) => role === 'assistant');
      expectLike('call at the engine', assistant?.['tool_calls'], [{ function: { name: 'web__look' } }]);
    },
  },
  {
    number: 22,
    promise: 'two namespaces with one tool name can both be called',
    breaks: 'Codex with two MCP servers calls the wrong one',
    needs: ['engine'],
    run: async (stage) => {
      const body = { tools: [namespace('web', tool('look')), namespace('disk', tool('look'))] };
      for (const [i, name] of ['web', 'disk'].entries()) {
        stage.engine.play(({ tools = [] }) =>
          whole(...call({ name: tools[i]?.function.name ?? '', pieces: ['{}'] }), finish('tool_calls')),
        );
        expectLike('output', outputOf(await askResponses(stage, body)), [{ name: 'look', namespace: name }]);
      }
    },
  },
];

const customs: readonly Part[] = [
  {
    number: 23,
    promise: 'a custom tool is a function with one string at the engine, and its call has the raw text',
    breaks: 'Codex applies its patches from this text: escapes in it break them',
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(whole(...call({ name: 'apply_patch', pieces: [JSON.stringify({ input: RAW })] }), finish('tool_calls')));
      const output = outputOf(await askResponses(stage, { tools: [PATCH] }));
      expectLike('tools of the engine', stage.engine.last.tools, [
        { function: { name: 'apply_patch', parameters: { properties: { input: { type: 'string' } } } } },
      ]);
      expectLike('output', output, [{ type: 'custom_tool_call', name: 'apply_patch', call_id: TEXT, input: RAW }]);
    },
  },
  {
    number: 24,
    promise: 'a custom call that is cut inside an escape has deltas that join to the exact text',
    breaks: 'Codex shows and applies a patch with half an escape in it',
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(whole(...call({ name: 'apply_patch', pieces: rawPieces() }), finish('tool_calls')));
      const { chunks } = await askResponses(stage, { tools: [PATCH], stream: true });
      const deltas = chunks.filter(({ type }) => type === 'response.custom_tool_call_input.delta').map(({ delta }) => delta);
      expectLike('input', deltas.join(''), RAW);
    },
  },
];

const choices: readonly Part[] = [
  {
    number: 25,
    promise: 'web_search is left out, and a header says so',
    breaks: 'Codex sends it unasked: a refusal ends the session at its first turn',
    run: async (stage) => {
      const answer = (await askResponses(stage, { tools: [tool('f'), { type: 'web_search' }] })).expectStatus(200);
      const named = Object.entries(answer.headers).some(([, value]) => value?.includes('tools[1]') === true);
      expectThat('a header that names tools[1]', named, answer.headers);
      if (stage.engineCalls !== null) expectLike('tools of the engine', stage.engine.last.tools, [{ function: { name: 'f' } }]);
    },
  },
  {
    number: 28,
    promise: 'allowed_tools leaves the engine those alone',
    breaks: 'the model calls a tool that the client has switched off for this turn',
    needs: ['engine'],
    run: async (stage) => {
      const choice = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'g' }] };
      (await askResponses(stage, { tools: [tool('f'), tool('g')], tool_choice: choice })).expectStatus(200);
      expectLike('tools of the engine', stage.engine.last.tools, [{ function: { name: 'g' } }]);
    },
  },
  {
    number: 29,
    promise: 'parallel_tool_calls false leaves one of two calls',
    breaks: 'agents that run one tool at a time run two',
    needs: ['engine'],
    run: async (stage) => {
      const two = [0, 1].flatMap((index) => call({ index, name: 'f', pieces: ['{}'] }));
      stage.engine.play(whole(...two, finish('tool_calls')));
      const output = outputOf(await askResponses(stage, { tools: [tool('f')], parallel_tool_calls: false }));
      expectLike('output', output, [{ type: 'function_call', name: 'f' }]);
    },
  },
  {
    number: 30,
    promise: 'a call without arguments has arguments "{}"',
    breaks: 'the AI SDK reports a tool error for ""',
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(whole(...call({ name: 'f', pieces: [] }), finish('tool_calls')));
      const [called] = outputOf(await askResponses(stage, { tools: [tool('f')] }));
      const wanted = { id: TEXT, type: 'function_call', status: 'completed', call_id: TEXT, name: 'f', arguments: '{}', namespace: ABSENT };
      expectLike('call', called, wanted);
    },
  },
];

/** Tools, and who chooses them. */
export const responseTools: readonly Part[] = [...namespaces, ...customs, ...choices];
