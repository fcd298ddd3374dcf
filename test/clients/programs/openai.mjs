// The official SDK of the chat-completions contract. The flavour is the name of its package.
import { citySchema, flavour, load, serve, TOOL, TOOL_PARAMETERS, underV1 } from './client-program.mjs';

const { default: OpenAI } = await load(flavour);
const { zodResponseFormat } = await load(`${flavour}/helpers/zod`);
const City = await citySchema();

const TOOLS = [{ type: 'function', function: { ...TOOL, parameters: TOOL_PARAMETERS } }];

const client = ({ apiKey, maxRetries = 0, ...job }, { fetch }) => new OpenAI({ baseURL: underV1(job), apiKey, maxRetries, fetch });
const ask = ({ model, text, more = {} }) => ({ model, messages: [{ role: 'user', content: text }], ...more });

function note(sight, { model, usage, choices: [choice] }) {
  sight.text = '';
  sight.said(choice.message.content);
  sight.calls = (choice.message.tool_calls ?? []).map(({ id, function: { name, arguments: text } }) => ({
    id,
    name,
    input: JSON.parse(text),
  }));
  sight.finish = choice.finish_reason;
  noteUsage(sight, model, usage);
}

function noteUsage(sight, model, usage) {
  sight.model = model;
  if (usage) sight.usage = { prompt: usage.prompt_tokens, completion: usage.completion_tokens };
}

/** Reads a stream as the documentation shows it: calls are put together by hand and parsed at the end. */
async function read(stream, sight) {
  const calls = [];
  for await (const { model, usage, choices } of stream) {
    noteUsage(sight, model, usage);
    for (const { delta, finish_reason: finish } of choices) {
      sight.said(delta.content);
      sight.thought += delta.reasoning_content ?? '';
      for (const { index, id, function: piece } of delta.tool_calls ?? []) {
        calls[index] ??= { id, name: piece.name, text: '' };
        calls[index].text += piece.arguments ?? '';
      }
      sight.finish = finish ?? sight.finish;
    }
  }
  sight.calls = calls.map(({ id, name, text }) => ({ id, name, input: JSON.parse(text) }));
}

const withUsage = { stream_options: { include_usage: true } };
const streamed = (request) => ({ ...request, ...withUsage, stream: true });

/** The tool as the runner takes it. */
const runnable = ({ tool }) => [{ ...TOOLS[0], function: { ...TOOLS[0].function, function: tool, parse: JSON.parse } }];

serve({
  plain: async (job, sight) => note(sight, await client(job, sight).chat.completions.create(ask(job))),
  stream: async (job, sight) => read(await client(job, sight).chat.completions.create(streamed(ask(job))), sight),
  thoughtful: async (job, sight) => read(await client(job, sight).chat.completions.create(streamed(ask(job))), sight),
  leave: async (job, sight) => {
    const stream = await client(job, sight).chat.completions.create(streamed(ask(job)));
    for await (const { choices } of stream) if (choices[0]?.delta.content) break;
  },
  helper: async (job, sight) => {
    const stream = client(job, sight).chat.completions.stream({ ...ask(job), ...withUsage });
    stream.on('content', (delta) => sight.said(delta));
    note(sight, await stream.finalChatCompletion());
  },
  tool: async (job, sight) => note(sight, await client(job, sight).chat.completions.create({ ...ask(job), tools: TOOLS })),
  streamTool: async (job, sight) => read(await client(job, sight).chat.completions.create(streamed({ ...ask(job), tools: TOOLS })), sight),
  helperTool: async (job, sight) => {
    note(
      sight,
      await client(job, sight)
        .chat.completions.stream({ ...ask(job), ...withUsage, tools: TOOLS })
        .finalChatCompletion(),
    );
  },
  runner: async (job, sight) => {
    const runner = client(job, sight).chat.completions.runTools({ ...ask(job), tools: runnable(sight) });
    note(sight, await runner.finalChatCompletion());
  },
  streamRunner: async (job, sight) => {
    const runner = client(job, sight).chat.completions.runTools({ ...ask(job), stream: true, tools: runnable(sight) });
    note(sight, await runner.finalChatCompletion());
  },
  schema: async (job, sight) => {
    const form = { response_format: zodResponseFormat(City, 'city') };
    const completion = await client(job, sight).chat.completions.parse({ ...ask(job), ...form });
    note(sight, completion);
    sight.value = completion.choices[0].message.parsed;
  },
  models: async (job, sight) => {
    sight.value = (await client(job, sight).models.list()).data.map(({ id }) => id);
  },
});
