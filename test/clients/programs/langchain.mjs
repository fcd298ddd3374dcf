// Both chat models of LangChain. The flavour is the name of the package; one of them speaks two contracts.
import { contract, flavour, load, serve, TOOL, underV1 } from './client-program.mjs';

const { ChatOpenAI, ChatAnthropic } = await load(flavour);
const { HumanMessage, ToolMessage } = await load('@langchain/core/messages');
const { tool } = await load('@langchain/core/tools');
const { z } = await load('zod');

const City = z.object({ city: z.string(), inhabitants: z.number() });

const MODELS = {
  '@langchain/openai': (job, options, fetch) =>
    new ChatOpenAI({ useResponsesApi: contract === 'responses', ...options, configuration: { baseURL: underV1(job), fetch } }),
  '@langchain/anthropic': ({ baseURL }, options, fetch) =>
    new ChatAnthropic({ ...options, anthropicApiUrl: baseURL, clientOptions: { fetch } }),
};

function chat(job, { fetch }) {
  const { apiKey, model, maxRetries = 0, more } = job;
  return MODELS[flavour](job, { apiKey, model, maxRetries, ...more }, fetch);
}

const question = ({ text }) => [new HumanMessage(text)];
const weatherTool = (sight) => tool(sight.tool, { ...TOOL, schema: z.object({ city: z.string() }) });

function note(sight, message, streamed = {}) {
  const { text, tool_calls: calls = [], invalid_tool_calls: invalid = [], usage_metadata: usage } = message;
  // Where the reason stands depends on the package, and on whether the answer was streamed.
  const meta = { ...message.additional_kwargs, ...message.response_metadata, ...streamed };
  sight.text = text;
  const thoughts = message.contentBlocks.filter(({ type }) => type === 'reasoning').map(({ reasoning }) => reasoning);
  sight.thought = meta.reasoning_content ?? thoughts.join('');
  sight.calls = calls.map(({ id, name, args }) => ({ id, name, input: args }));
  if (invalid.length > 0) sight.value = { invalid };
  sight.finish = meta.finish_reason ?? meta.stop_reason ?? meta.status ?? null;
  sight.model = meta.model ?? meta.model_name ?? null;
  if (usage) sight.usage = { prompt: usage.input_tokens, completion: usage.output_tokens };
}

async function read(stream, sight) {
  let whole;
  let model;
  for await (const chunk of stream) {
    sight.said(chunk.text);
    whole = whole === undefined ? chunk : whole.concat(chunk);
    // In the whole it stands as often as chunks had it, one after the other.
    model ??= chunk.response_metadata.model_name;
  }
  note(sight, whole, model && { model });
}

/** What makes a model think, where it does not by itself. */
const THINKING = {
  '@langchain/openai': {},
  '@langchain/anthropic': { thinking: { type: 'enabled', budget_tokens: 1024 }, maxTokens: 2048 },
};

serve({
  plain: async (job, sight) => note(sight, await chat(job, sight).invoke(question(job))),
  stream: async (job, sight) => read(await chat(job, sight).stream(question(job)), sight),
  thoughtful: async (job, sight) => read(await chat({ ...job, more: THINKING[flavour] }, sight).stream(question(job)), sight),
  leave: async (job, sight) => {
    for await (const chunk of await chat(job, sight).stream(question(job))) if (chunk.text) break;
  },
  tool: async (job, sight) =>
    note(
      sight,
      await chat(job, sight)
        .bindTools([weatherTool(sight)])
        .invoke(question(job)),
    ),
  streamTool: async (job, sight) =>
    read(
      await chat(job, sight)
        .bindTools([weatherTool(sight)])
        .stream(question(job)),
      sight,
    ),
  runner: async (job, sight) => {
    const weather = weatherTool(sight);
    const model = chat(job, sight).bindTools([weather]);
    const messages = question(job);
    const first = await model.invoke(messages);
    messages.push(first);
    for (const call of first.tool_calls ?? []) {
      messages.push(new ToolMessage({ content: await weather.invoke(call.args), tool_call_id: call.id, name: call.name }));
    }
    note(sight, await model.invoke(messages));
  },
  schema: async (job, sight) => {
    const structured = chat(job, sight).withStructuredOutput(City, { method: 'jsonSchema', name: 'city' });
    sight.value = await structured.invoke(question(job));
  },
});
