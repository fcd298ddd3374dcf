/** A contract of conversations. */
export type Contract = 'chat' | 'responses' | 'messages';
/** A contract that code is shown for. */
export type CodeContract = Contract | 'embeddings';
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
/** Where programs keep the key. */
export const KEY_VARIABLE = 'SLIPWAY_API_KEY';

/** The line of a shell that puts a key into the variable. */
export const exportLine = (key = 'YOUR_API_KEY'): string => `export ${KEY_VARIABLE}=${key}`;

const inShell = (key: string | null): string => key ?? `$${KEY_VARIABLE}`;
const inPython = (key: string | null): string => (key === null ? `os.environ["${KEY_VARIABLE}"]` : `"${key}"`);
const pythonImport = (key: string | null): string => (key === null ? 'import os\n\n' : '');
const inTypescript = (key: string | null): string => (key === null ? `process.env.${KEY_VARIABLE}` : `'${key}'`);

/** Base URL of a contract: the messages contract's clients add the version themselves, all others want it there. */
export const baseUrlOf = ({ gateway, path }: InferenceTarget, contract: CodeContract): string =>
  `${gateway}/${path}${contract === 'messages' ? '' : '/v1'}`;

const messages = [{ role: 'user', content: QUESTION }];

const TEXTS = ['The cat sleeps on the sofa.', 'Invoices are due in 30 days.'] as const;

const WRITERS: Readonly<Record<CodeContract, Readonly<Record<Language, (target: InferenceTarget, key: string | null) => string>>>> = {
  chat: {
    curl: (target, key) => `curl -N ${baseUrlOf(target, 'chat')}/chat/completions \\
  -H "Authorization: Bearer ${inShell(key)}" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ model: target.model, stream: true, messages })}'`,
    python: (target, key) => `${pythonImport(key)}from openai import OpenAI

client = OpenAI(base_url="${baseUrlOf(target, 'chat')}", api_key=${inPython(key)})
stream = client.chat.completions.create(
    model="${target.model}",
    messages=[{"role": "user", "content": "${QUESTION}"}],
    stream=True,
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)`,
    typescript: (target, key) => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${baseUrlOf(target, 'chat')}', apiKey: ${inTypescript(key)} });
const stream = await client.chat.completions.create({
  model: '${target.model}',
  messages: [{ role: 'user', content: '${QUESTION}' }],
  stream: true,
});
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');`,
  },
  responses: {
    curl: (target, key) => `curl -N ${baseUrlOf(target, 'responses')}/responses \\
  -H "Authorization: Bearer ${inShell(key)}" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ model: target.model, stream: true, input: QUESTION })}'`,
    python: (target, key) => `${pythonImport(key)}from openai import OpenAI

client = OpenAI(base_url="${baseUrlOf(target, 'responses')}", api_key=${inPython(key)})
stream = client.responses.create(model="${target.model}", input="${QUESTION}", stream=True)
for event in stream:
    if event.type == "response.output_text.delta":
        print(event.delta, end="", flush=True)`,
    typescript: (target, key) => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${baseUrlOf(target, 'responses')}', apiKey: ${inTypescript(key)} });
const stream = await client.responses.create({ model: '${target.model}', input: '${QUESTION}', stream: true });
for await (const event of stream) {
  if (event.type === 'response.output_text.delta') process.stdout.write(event.delta);
}`,
  },
  messages: {
    curl: (target, key) => `curl -N ${baseUrlOf(target, 'messages')}/v1/messages \\
  -H "X-API-Key: ${inShell(key)}" \\
  -H "anthropic-version: 2023-06-01" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ model: target.model, max_tokens: LONGEST, stream: true, messages })}'`,
    python: (target, key) => `${pythonImport(key)}from anthropic import Anthropic

client = Anthropic(base_url="${baseUrlOf(target, 'messages')}", api_key=${inPython(key)})
with client.messages.stream(
    model="${target.model}",
    max_tokens=${LONGEST},
    messages=[{"role": "user", "content": "${QUESTION}"}],
) as stream:
    for text in stream.text_stream:
        print(text, end="", flush=True)`,
    typescript: (target, key) => `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${baseUrlOf(target, 'messages')}', apiKey: ${inTypescript(key)} });
const stream = client.messages.stream({
  model: '${target.model}',
  max_tokens: ${LONGEST},
  messages: [{ role: 'user', content: '${QUESTION}' }],
});
stream.on('text', (text) => process.stdout.write(text));
await stream.finalMessage();`,
  },
  embeddings: {
    curl: (target, key) => `curl ${baseUrlOf(target, 'embeddings')}/embeddings \\
  -H "Authorization: Bearer ${inShell(key)}" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ model: target.model, input: TEXTS })}'`,
    python: (target, key) => `${pythonImport(key)}from openai import OpenAI

client = OpenAI(base_url="${baseUrlOf(target, 'embeddings')}", api_key=${inPython(key)})
answer = client.embeddings.create(
    model="${target.model}",
    input=${JSON.stringify(TEXTS, null, 1).replaceAll(/\n */g, ' ').replace('[ ', '[').replace(' ]', ']')},
)
print([len(one.embedding) for one in answer.data])`,
    typescript: (target, key) => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${baseUrlOf(target, 'embeddings')}', apiKey: ${inTypescript(key)} });
const answer = await client.embeddings.create({
  model: '${target.model}',
  input: ['${TEXTS.join("', '")}'],
});
console.log(answer.data.map(({ embedding }) => embedding.length));`,
  },
};

/** A first request, ready to paste. @param key absent = read from the variable that programs keep it in */
export const inferenceSnippet = (contract: CodeContract, language: Language, target: InferenceTarget, key?: string): string =>
  WRITERS[contract][language](target, key ?? null);
