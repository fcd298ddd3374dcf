// The agents SDK, which uses the responses contract by itself. The flavour is the name of its package.
import { citySchema, flavour, load, serve, TOOL, underV1 } from './client-program.mjs';

const { Agent, OpenAIProvider, Runner, tool } = await load(flavour);
const { default: OpenAI } = await load('openai');
const { z } = await load('zod');
const City = await citySchema();

function runnerFor({ apiKey, maxRetries = 0, ...job }, { fetch }) {
  const openAIClient = new OpenAI({ baseURL: underV1(job), apiKey, maxRetries, fetch });
  return new Runner({ modelProvider: new OpenAIProvider({ openAIClient }), tracingDisabled: true });
}

const agentFor = ({ model, more = {} }, parts = {}) => new Agent({ name: 'Weather', model, modelSettings: more, ...parts });

const weather = (sight) => tool({ ...TOOL, parameters: z.object({ city: z.string() }), execute: sight.tool });

function note(sight, { finalOutput, rawResponses, lastResponseId }) {
  const { usage, output, providerData } = rawResponses.at(-1);
  sight.text = '';
  if (typeof finalOutput === 'string') sight.said(finalOutput);
  sight.value = typeof finalOutput === 'string' ? null : finalOutput;
  sight.thought = output
    .filter(({ type }) => type === 'reasoning')
    .flatMap(({ content }) => content.map(({ text }) => text))
    .join('');
  sight.finish = lastResponseId === undefined ? null : (providerData?.status ?? 'completed');
  sight.model = providerData?.model ?? null;
  sight.usage = { prompt: usage.inputTokens, completion: usage.outputTokens };
}

const whole = async (job, sight, parts) => note(sight, await runnerFor(job, sight).run(agentFor(job, parts), job.text));

async function streamed(job, sight, parts) {
  const result = await runnerFor(job, sight).run(agentFor(job, parts), job.text, { stream: true });
  for await (const event of result) {
    if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta') sight.said(event.data.delta);
  }
  await result.completed;
  note(sight, result);
}

serve({
  plain: (job, sight) => whole(job, sight),
  stream: (job, sight) => streamed(job, sight),
  thoughtful: (job, sight) => streamed(job, sight),
  leave: async (job, sight) => {
    const leaving = new AbortController();
    const result = await runnerFor(job, sight).run(agentFor(job), job.text, { stream: true, signal: leaving.signal });
    for await (const event of result) {
      if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta') leaving.abort();
    }
  },
  runner: (job, sight) => whole(job, sight, { tools: [weather(sight)] }),
  streamRunner: (job, sight) => streamed(job, sight, { tools: [weather(sight)] }),
  schema: (job, sight) => whole(job, sight, { outputType: City }),
});
