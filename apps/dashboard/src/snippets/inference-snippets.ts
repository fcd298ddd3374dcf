export type Contract = 'chat' | 'messages';
export type Language = 'curl' | 'python' | 'typescript';

export interface InferenceTarget {
  /** The gateway, without a path. */
  readonly gateway: string;
  /** `deployment-3` or `account/alias`. */
  readonly path: string;
  /** What the body names: the slug, or the alias without its account. */
  readonly model: string;
}

const QUESTION = 'Who are you?';
const LONGEST = 200;
const KEY = 'YOUR_API_KEY';

/** Base URL of a contract: the chat contract's clients want the version in it, the messages contract's add it themselves. */
export const baseUrlOf = ({ gateway, path }: InferenceTarget, contract: Contract): string =>
  `${gateway}/${path}${contract === 'chat' ? '/v1' : ''}`;

const messages = [{ role: 'user', content: QUESTION }];

const WRITERS: Readonly<Record<Contract, Readonly<Record<Language, (target: InferenceTarget, key: string) => string>>>> = {
  chat: {
    curl: (target, key) => `curl -N ${baseUrlOf(target, 'chat')}/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ model: target.model, stream: true, messages })}'`,
    python: (target, key) => `from openai import OpenAI

client = OpenAI(base_url="${baseUrlOf(target, 'chat')}", api_key="${key}")
stream = client.chat.completions.create(
    model="${target.model}",
    messages=[{"role": "user", "content": "${QUESTION}"}],
    stream=True,
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)`,
    typescript: (target, key) => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${baseUrlOf(target, 'chat')}', apiKey: '${key}' });
const stream = await client.chat.completions.create({
  model: '${target.model}',
  messages: [{ role: 'user', content: '${QUESTION}' }],
  stream: true,
});
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');`,
  },
  messages: {
    curl: (target, key) => `curl -N ${baseUrlOf(target, 'messages')}/v1/messages \\
  -H "X-API-Key: ${key}" \\
  -H "anthropic-version: 2023-06-01" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ model: target.model, max_tokens: LONGEST, stream: true, messages })}'`,
    python: (target, key) => `from anthropic import Anthropic

client = Anthropic(base_url="${baseUrlOf(target, 'messages')}", api_key="${key}")
with client.messages.stream(
    model="${target.model}",
    max_tokens=${LONGEST},
    messages=[{"role": "user", "content": "${QUESTION}"}],
) as stream:
    for text in stream.text_stream:
        print(text, end="", flush=True)`,
    typescript: (target, key) => `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${baseUrlOf(target, 'messages')}', apiKey: '${key}' });
const stream = client.messages.stream({
  model: '${target.model}',
  max_tokens: ${LONGEST},
  messages: [{ role: 'user', content: '${QUESTION}' }],
});
stream.on('text', (text) => process.stdout.write(text));
await stream.finalMessage();`,
  },
};

/** A first request, ready to paste. @param key absent = a placeholder that says what belongs there */
export const inferenceSnippet = (contract: Contract, language: Language, target: InferenceTarget, key: string = KEY): string =>
  WRITERS[contract][language](target, key);
