import { type DeploymentId, deploymentSlug } from '@slipway/contracts';
import { isOlder, RECOMMENDED_NATS_SERVER } from '@slipway/platform';
import type { NewKey } from './account.js';

/** Result of a start. */
export interface Result {
  /** Address of the inference API, without a path. */
  readonly baseUrl: string;
  readonly gateways: readonly string[];
  readonly consoleUrl: string;
  /** Set-up link of the first owner; null once there is one. */
  readonly setupUrl: string | null;
  /** Version of the nats-server. */
  readonly natsVersion: string;
  readonly deployment: DeploymentId;
  /** Path for clients: `local/demo`, or the slug if the alias points elsewhere. */
  readonly path: string;
  /** Slots of one replica; null if unknown. */
  readonly slots: number | null;
  /** Whether it makes embeddings. */
  readonly embeds: boolean;
  /** Null on later runs. */
  readonly key: NewKey | null;
  readonly processes: readonly { readonly name: string; readonly pid: number }[];
  readonly seconds: number;
}

const QUESTION = 'Hello! Who are you?';

/** The result as one line of JSON. */
export const jsonReport = ({ baseUrl, consoleUrl, setupUrl, gateways, deployment, path, key, processes, natsVersion }: Result): string =>
  `${JSON.stringify({
    base_url: baseUrl,
    deployment: deploymentSlug(deployment),
    alias: path,
    key: key?.value ?? null,
    gateways,
    console_url: consoleUrl,
    setup_url: setupUrl,
    nats_version: natsVersion,
    processes,
  })}\n`;

interface Target {
  /** Base URL of OpenAI's contracts. */
  readonly url: string;
  readonly model: string;
}

/** A first request in each language. */
interface Examples {
  readonly curl: (target: Target) => string;
  readonly python: (target: Target) => string;
  readonly typescript: (target: Target) => string;
}

const curl = (url: string, body: object): string =>
  `curl -N ${url} -H "Authorization: Bearer $SLIPWAY_API_KEY" -H "Content-Type: application/json" -d '${JSON.stringify(body)}'`;
const pythonClient = (url: string): string => `import os

from openai import OpenAI

client = OpenAI(base_url="${url}", api_key=os.environ["SLIPWAY_API_KEY"])`;
const typescriptClient = (url: string): string => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${url}', apiKey: process.env.SLIPWAY_API_KEY });`;

const CHAT: Examples = {
  curl: ({ url, model }) => curl(`${url}/chat/completions`, { model, stream: true, messages: [{ role: 'user', content: QUESTION }] }),
  python: ({ url, model }) => `${pythonClient(url)}
stream = client.chat.completions.create(model="${model}", stream=True, messages=[{"role": "user", "content": "${QUESTION}"}])
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)`,
  typescript: ({ url, model }) => `${typescriptClient(url)}
const stream = await client.chat.completions.create({ model: '${model}', stream: true, messages: [{ role: 'user', content: '${QUESTION}' }] });
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');`,
};

const EMBEDDINGS: Examples = {
  curl: ({ url, model }) => curl(`${url}/embeddings`, { model, input: [QUESTION] }),
  python: ({ url, model }) => `${pythonClient(url)}
answer = client.embeddings.create(model="${model}", input=["${QUESTION}"])
print(answer.data[0].embedding)`,
  typescript: ({ url, model }) => `${typescriptClient(url)}
const answer = await client.embeddings.create({ model: '${model}', input: ['${QUESTION}'] });
console.log(answer.data[0]?.embedding);`,
};

const keyLine = (key: NewKey | null): string =>
  key === null
    ? 'shown at its creation; to create another one: npm start -- --new-key'
    : `export SLIPWAY_API_KEY=${key.value}\n             Shown this once: keep it, and run this line in the shell where you try it.`;

const setupLine = (url: string | null): string =>
  url === null ? '' : `\n  Set-up     ${url}\n             Opens once: sets the address and password of the account's first owner.`;

const slotsLine = (deployment: DeploymentId, slots: number | null): string =>
  slots === null
    ? ''
    : `\n  Slots      ${slots} requests at once in each replica; another number: npx slipway deployments update ${deploymentSlug(deployment)} --slots N`;

const natsLine = (version: string): string =>
  isOlder(version, RECOMMENDED_NATS_SERVER)
    ? `nats-server ${version}\n             ${RECOMMENDED_NATS_SERVER} or newer is better: fixes of security advisories go into current versions.`
    : `nats-server ${version}`;

const indent = (text: string): string => text.replace(/^(?=.)/gm, '  ');

/** The result as text, with examples of a first request. */
export function textReport(result: Result): string {
  const { baseUrl, consoleUrl, setupUrl, gateways, deployment, path, slots, key, seconds, natsVersion } = result;
  const slug = deploymentSlug(deployment);
  const target = { url: `${baseUrl}/${path}/v1`, model: path.split('/').at(-1) ?? slug };
  const others = gateways.slice(1);
  const examples = result.embeds ? EMBEDDINGS : CHAT;
  return `
Slipway is ready (${seconds.toFixed(1)} s).

  Base URL   ${baseUrl}${others.length > 0 ? `\n  Gateways   ${gateways.join('  ')}` : ''}
  Deployment ${slug}${path === slug ? '; the alias demo stays where it was pointed' : `, alias ${path}`}${slotsLine(deployment, slots)}
  API key    ${keyLine(key)}
  Console    ${consoleUrl}${setupLine(setupUrl)}
  NATS       ${natsLine(natsVersion)}

Try it:

${indent(examples.curl(target))}

Python (pip install openai):

${indent(examples.python(target))}

TypeScript (npm install openai):

${indent(examples.typescript(target))}

Ctrl-C stops everything.
`;
}
