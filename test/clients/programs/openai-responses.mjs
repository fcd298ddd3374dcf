// The official SDK of the responses contract. The flavour is the name of its package.
import { citySchema, flavour, load, serve, TOOL, TOOL_PARAMETERS, underV1 } from './client-program.mjs';

const { default: OpenAI } = await load(flavour);
const { zodTextFormat } = await load(`${flavour}/helpers/zod`);
const City = await citySchema();

const TOOLS = [{ type: 'function', ...TOOL, parameters: TOOL_PARAMETERS, strict: false }];

const client = ({ apiKey, maxRetries = 0, ...job }, { fetch }) => new OpenAI({ baseURL: underV1(job), apiKey, maxRetries, fetch });
const ask = ({ model, text, more = {} }) => ({ model, input: text, ...more });
const withTools = (job) => ({ ...ask(job), tools: TOOLS });

function note(sight, { model, output, status, usage }) {
  sight.text = '';
  const parts = output.filter(({ type }) => type === 'message').flatMap(({ content }) => content);
  sight.said(parts.map(({ text }) => text).join(''));
  sight.calls = output
    .filter(({ type }) => type === 'function_call')
    .map(({ call_id: id, name, arguments: args }) => ({ id, name, input: JSON.parse(args) }));
  sight.finish = status;
  sight.model = model;
  sight.usage = { prompt: usage.input_tokens, completion: usage.output_tokens };
}

/** Reads a stream as the documentation shows it: calls are those of the items that are done. */
async function read(stream, sight) {
  for await (const event of stream) {
    if (event.type === 'response.output_text.delta') sight.said(event.delta);
    if (event.type === 'response.reasoning_summary_text.delta') sight.thought += event.delta;
    if (event.type === 'response.output_item.done' && event.item.type === 'function_call')
      sight.calls.push({ id: event.item.call_id, name: event.item.name, input: JSON.parse(event.item.arguments) });
    if (event.type === 'response.completed' || event.type === 'response.incomplete') note(sight, event.response);
  }
}

const streamed = async (job, sight, request = ask(job)) =>
  read(await client(job, sight).responses.create({ ...request, stream: true }), sight);

/** Runs calls until there are none, which the SDK leaves to its user. */
async function run(job, sight, respond) {
  const input = [{ role: 'user', content: job.text }];
  for (;;) {
    const response = await respond({ ...withTools(job), input });
    note(sight, response);
    if (sight.calls.length === 0) return;
    input.push(...response.output);
    for (const { id, input: args } of sight.calls) input.push({ type: 'function_call_output', call_id: id, output: sight.tool(args) });
  }
}

serve({
  plain: async (job, sight) => note(sight, await client(job, sight).responses.create(ask(job))),
  stream: streamed,
  thoughtful: streamed,
  leave: async (job, sight) => {
    const stream = await client(job, sight).responses.create({ ...ask(job), stream: true });
    for await (const event of stream) if (event.type === 'response.output_text.delta') break;
  },
  helper: async (job, sight) => {
    const stream = client(job, sight).responses.stream(ask(job));
    stream.on('response.output_text.delta', ({ delta }) => sight.said(delta));
    note(sight, await stream.finalResponse());
  },
  tool: async (job, sight) => note(sight, await client(job, sight).responses.create(withTools(job))),
  streamTool: (job, sight) => streamed(job, sight, withTools(job)),
  helperTool: async (job, sight) => note(sight, await client(job, sight).responses.stream(withTools(job)).finalResponse()),
  runner: (job, sight) => run(job, sight, (request) => client(job, sight).responses.create(request)),
  streamRunner: (job, sight) => run(job, sight, (request) => client(job, sight).responses.stream(request).finalResponse()),
  schema: async (job, sight) => {
    const response = await client(job, sight).responses.parse({ ...ask(job), text: { format: zodTextFormat(City, 'city') } });
    note(sight, response);
    sight.value = response.output_parsed;
  },
  models: async (job, sight) => {
    sight.value = (await client(job, sight).models.list()).data.map(({ id }) => id);
  },
});
