// The AI SDK with each provider that speaks one of the contracts. The flavour is the name of the provider's package, from
// which follows the major of the SDK.
import { contract, flavour, load, serve, TOOL, underV1 } from './client-program.mjs';

const [, major, name] = /^(ai-6-|@ai-sdk\/)(.*)$/.exec(flavour);
const ai = await load(major === 'ai-6-' ? 'ai-6' : 'ai');
const { generateText, streamText, tool, Output } = ai;
const stepCount = ai.isStepCount ?? ai.stepCountIs;
const provider = await load(flavour);
const { z } = await load('zod');

const City = z.object({ city: z.string(), inhabitants: z.number() });

const MODELS = {
  'openai-compatible': (settings, model) =>
    provider.createOpenAICompatible({ name: 'slipway', includeUsage: true, supportsStructuredOutputs: true, ...settings })(model),
  openai: (settings, model) => {
    const openai = provider.createOpenAI(settings);
    return contract === 'responses' ? openai(model) : openai.chat(model);
  },
  anthropic: (settings, model) => provider.createAnthropic(settings)(model),
};

/** Answers are not kept, and this client refers to earlier ones unless it is told so. */
const STATELESS = { providerOptions: { openai: { store: false } } };

const ask = (job, sight) => ({
  model: MODELS[name]({ baseURL: underV1(job), apiKey: job.apiKey, fetch: sight.fetch }, job.model),
  prompt: job.text,
  maxRetries: job.maxRetries ?? 0,
  ...(contract === 'responses' && STATELESS),
  ...job.more,
});
const parameters = { ...TOOL, inputSchema: z.object({ city: z.string() }) };
/** A tool that the program answers itself, and one that the SDK runs. */
const offered = { tools: { [TOOL.name]: tool(parameters) } };
const runnable = (sight) => ({ tools: { [TOOL.name]: tool({ ...parameters, execute: sight.tool }) }, stopWhen: stepCount(3) });

const callOf = ({ toolCallId: id, toolName: name, input, invalid }) => ({ id, name, input, ...(invalid && { invalid }) });

function noteEnd(sight, { finishReason, usage, response }) {
  sight.finish = finishReason;
  sight.model = response?.modelId ?? null;
  sight.usage = { prompt: usage.inputTokens, completion: usage.outputTokens };
}

function note(sight, result) {
  sight.said(result.text);
  sight.calls = result.toolCalls.map(callOf);
  noteEnd(sight, result);
}

async function readParts(stream, sight, failures) {
  for await (const part of stream) {
    if (part.type === 'text-delta') sight.said(part.text);
    if (part.type === 'reasoning-delta') sight.thought += part.text;
    if (part.type === 'tool-call') sight.calls.push(callOf(part));
    if (part.type === 'error') failures.push(part.error);
    if (part.type === 'finish-step') noteEnd(sight, part);
  }
}

/** Reads a stream as its documentation wants: what goes wrong is a part of it, and may be thrown after that as well. */
async function read(options, sight) {
  const { fullStream } = streamText({ ...options, onError: () => undefined });
  const failures = [];
  try {
    await readParts(fullStream, sight, failures);
  } catch (error) {
    failures.push(error);
  }
  if (failures.length > 0) throw failures[0];
}

/** What makes a model think, where it does not by itself. */
const thinking = name === 'anthropic' ? { providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } } } : {};

/** Asks, and then goes on with the conversation. */
async function converse(job, sight) {
  const { prompt, ...options } = ask(job, sight);
  const messages = [{ role: 'user', content: prompt }];
  const { response } = await generateText({ ...options, messages });
  messages.push(...response.messages, { role: 'user', content: prompt });
  note(sight, await generateText({ ...options, messages }));
}

serve({
  plain: async (job, sight) => note(sight, await generateText(ask(job, sight))),
  stream: (job, sight) => read(ask(job, sight), sight),
  thoughtful: (job, sight) => read({ ...ask(job, sight), ...thinking }, sight),
  conversation: converse,
  leave: async (job, sight) => {
    const leaving = new AbortController();
    const { fullStream } = streamText({ ...ask(job, sight), abortSignal: leaving.signal, onError: () => undefined });
    for await (const part of fullStream) if (part.type === 'text-delta') leaving.abort();
  },
  tool: async (job, sight) => note(sight, await generateText({ ...ask(job, sight), ...offered })),
  streamTool: (job, sight) => read({ ...ask(job, sight), ...offered }, sight),
  runner: async (job, sight) => note(sight, await generateText({ ...ask(job, sight), ...runnable(sight) })),
  streamRunner: (job, sight) => read({ ...ask(job, sight), ...runnable(sight) }, sight),
  schema: async (job, sight) => {
    const result = await generateText({ ...ask(job, sight), output: Output.object({ schema: City, name: 'city' }) });
    note(sight, result);
    sight.value = result.output;
  },
});
