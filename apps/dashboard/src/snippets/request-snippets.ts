import { baseUrlOf, type Contract, type InferenceTarget, KEY_VARIABLE, type Language } from './inference-snippets.js';
import { pythonLiteral, shellWord, typescriptLiteral } from './literals.js';

type Body = Readonly<Record<string, unknown>>;

const pythonArguments = (body: Body): string =>
  Object.entries(body)
    .map(([name, value]) => `    ${name}=${pythonLiteral(value, 1)},\n`)
    .join('');

/** Streams of the messages SDKs are their own method, which asks for them itself. */
const withoutStream = ({ stream: _stream, ...rest }: Body): Body => rest;

const curl = (url: string, headers: readonly string[], body: Body): string =>
  [`curl -N ${url} \\`, ...headers.map((header) => `  -H "${header}" \\`), `  -d ${shellWord(JSON.stringify(body, null, 2))}`].join('\n');

type Writer = (target: InferenceTarget, body: Body) => string;

const WRITERS: Readonly<Record<Contract, Readonly<Record<Language, Writer>>>> = {
  chat: {
    curl: (target, body) =>
      curl(
        `${baseUrlOf(target, 'chat')}/chat/completions`,
        [`Authorization: Bearer $${KEY_VARIABLE}`, 'Content-Type: application/json'],
        body,
      ),
    python: (target, body) => `import os

from openai import OpenAI

client = OpenAI(base_url="${baseUrlOf(target, 'chat')}", api_key=os.environ["${KEY_VARIABLE}"])
stream = client.chat.completions.create(
${pythonArguments(body)})
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)`,
    typescript: (target, body) => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${baseUrlOf(target, 'chat')}', apiKey: process.env.${KEY_VARIABLE} });
const stream = await client.chat.completions.create(${typescriptLiteral(body)});
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');`,
  },
  responses: {
    curl: (target, body) =>
      curl(
        `${baseUrlOf(target, 'responses')}/responses`,
        [`Authorization: Bearer $${KEY_VARIABLE}`, 'Content-Type: application/json'],
        body,
      ),
    python: (target, body) => `import os

from openai import OpenAI

client = OpenAI(base_url="${baseUrlOf(target, 'responses')}", api_key=os.environ["${KEY_VARIABLE}"])
stream = client.responses.create(
${pythonArguments(body)})
for event in stream:
    if event.type == "response.output_text.delta":
        print(event.delta, end="", flush=True)`,
    typescript: (target, body) => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${baseUrlOf(target, 'responses')}', apiKey: process.env.${KEY_VARIABLE} });
const stream = await client.responses.create(${typescriptLiteral(body)});
for await (const event of stream) {
  if (event.type === 'response.output_text.delta') process.stdout.write(event.delta);
}`,
  },
  messages: {
    curl: (target, body) =>
      curl(
        `${baseUrlOf(target, 'messages')}/v1/messages`,
        [`X-API-Key: $${KEY_VARIABLE}`, 'anthropic-version: 2023-06-01', 'Content-Type: application/json'],
        body,
      ),
    python: (target, body) => `import os

from anthropic import Anthropic

client = Anthropic(base_url="${baseUrlOf(target, 'messages')}", api_key=os.environ["${KEY_VARIABLE}"])
with client.messages.stream(
${pythonArguments(withoutStream(body))}) as stream:
    for text in stream.text_stream:
        print(text, end="", flush=True)`,
    typescript: (target, body) => `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${baseUrlOf(target, 'messages')}', apiKey: process.env.${KEY_VARIABLE} });
const stream = client.messages.stream(${typescriptLiteral(withoutStream(body))});
stream.on('text', (text) => process.stdout.write(text));
await stream.finalMessage();`,
  },
};

/** A request with exactly this body, ready to run where the variable holds a key. */
export const requestSnippet = (contract: Contract, language: Language, target: InferenceTarget, body: Body): string =>
  WRITERS[contract][language](target, body);
