// The official SDK of the messages contract. The flavour is the name of its package.
import { flavour, load, serve, TOOL } from './client-program.mjs';

const { default: Anthropic } = await load(flavour);
const { zodOutputFormat } = await load(`${flavour}/helpers/zod`);
const { betaZodTool } = await load(`${flavour}/helpers/beta/zod`);
const { z } = await load('zod');

const TOOLS = [{ ...TOOL, input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } }];
const City = z.object({ city: z.string(), inhabitants: z.number() });

const client = ({ baseURL, apiKey, maxRetries = 0 }, { fetch }) => new Anthropic({ baseURL, apiKey, maxRetries, fetch });
const ask = ({ model, text, more = {} }) => ({ model, max_tokens: 200, messages: [{ role: 'user', content: text }], ...more });

function note(sight, { model, content, stop_reason: stop, usage }) {
  sight.text = content.map(({ text = '' }) => text).join('');
  sight.calls = content.filter(({ type }) => type === 'tool_use').map(({ id, name, input }) => ({ id, name, input }));
  sight.finish = stop;
  sight.model = model;
  sight.usage = { prompt: usage.input_tokens + usage.cache_read_input_tokens, completion: usage.output_tokens };
}

function readDelta(delta, block, sight) {
  if (delta.type === 'thinking_delta') sight.thought += delta.thinking;
  if (delta.type === 'text_delta') sight.said(delta.text);
  if (delta.type === 'input_json_delta') block.json += delta.partial_json;
}

/** Reads a stream as the documentation shows it: the input of a call is put together by hand and parsed at the end. */
async function read(stream, sight) {
  const calls = new Map();
  let stopped = null;
  for await (const event of stream) {
    if (event.type === 'message_start') sight.model = event.message.model;
    if (event.type === 'content_block_start') calls.set(event.index, { ...event.content_block, json: '' });
    if (event.type === 'content_block_delta') readDelta(event.delta, calls.get(event.index), sight);
    if (event.type === 'message_delta') {
      stopped = event.delta.stop_reason;
      const { input_tokens: input, cache_read_input_tokens: cached, output_tokens: completion } = event.usage;
      sight.usage = { prompt: input + cached, completion };
    }
    // A reason without the event that ends the message is none.
    if (event.type === 'message_stop') sight.finish = stopped;
  }
  const used = [...calls.values()].filter(({ type }) => type === 'tool_use');
  sight.calls = used.map(({ id, name, json }) => ({ id, name, input: JSON.parse(json || '{}') }));
}

serve({
  plain: async (job, sight) => note(sight, await client(job, sight).messages.create(ask(job))),
  stream: async (job, sight) => read(await client(job, sight).messages.create({ ...ask(job), stream: true }), sight),
  thoughtful: async (job, sight) => {
    const thinking = { type: 'enabled', budget_tokens: 1024 };
    await read(await client(job, sight).messages.create({ ...ask(job), max_tokens: 2048, thinking, stream: true }), sight);
  },
  leave: async (job, sight) => {
    const stream = await client(job, sight).messages.create({ ...ask(job), stream: true });
    for await (const { delta } of stream) if (delta?.type === 'text_delta') break;
  },
  helper: async (job, sight) => {
    const stream = client(job, sight).messages.stream(ask(job));
    stream.on('text', (delta) => sight.said(delta));
    note(sight, await stream.finalMessage());
  },
  tool: async (job, sight) => note(sight, await client(job, sight).messages.create({ ...ask(job), tools: TOOLS })),
  streamTool: async (job, sight) => read(await client(job, sight).messages.create({ ...ask(job), tools: TOOLS, stream: true }), sight),
  helperTool: async (job, sight) =>
    note(
      sight,
      await client(job, sight)
        .messages.stream({ ...ask(job), tools: TOOLS })
        .finalMessage(),
    ),
  runner: async (job, sight) => {
    const tool = betaZodTool({ ...TOOL, inputSchema: z.object({ city: z.string() }), run: sight.tool });
    note(
      sight,
      await client(job, sight)
        .beta.messages.toolRunner({ ...ask(job), tools: [tool] })
        .runUntilDone(),
    );
  },
  streamRunner: async (job, sight) => {
    const tool = betaZodTool({ ...TOOL, inputSchema: z.object({ city: z.string() }), run: sight.tool });
    const runner = client(job, sight).beta.messages.toolRunner({ ...ask(job), stream: true, tools: [tool] });
    for await (const stream of runner) note(sight, await stream.finalMessage());
  },
  schema: async (job, sight) => {
    const message = await client(job, sight).messages.parse({ ...ask(job), output_config: { format: zodOutputFormat(City) } });
    note(sight, message);
    sight.value = message.parsed_output;
  },
  count: async (job, sight) => {
    const { max_tokens: _, ...countable } = ask(job);
    const tools = job.tools ? { tools: TOOLS } : {};
    sight.value = (await client(job, sight).messages.countTokens({ ...countable, ...tools })).input_tokens;
  },
  models: async (job, sight) => {
    sight.value = (await client(job, sight).models.list()).data.map(({ id }) => id);
  },
});
