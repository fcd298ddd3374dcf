import { type DeploymentId, deploymentSlug } from '@slipway/contracts';
import { ACCOUNT_SLUG } from './account.js';
import { ALIAS } from './demo-deployment.js';
import type { NewKey } from './demo-key.js';

/** What a start came to. */
export interface Result {
  /** Without a path. */
  readonly baseUrl: string;
  readonly gateways: readonly string[];
  readonly consoleUrl: string;
  /** Opens once, for the first owner; null once there is one. */
  readonly setupUrl: string | null;
  readonly deployment: DeploymentId;
  /** Null on later runs. */
  readonly key: NewKey | null;
  readonly processes: readonly { readonly name: string; readonly pid: number }[];
  readonly seconds: number;
}

const QUESTION = 'Hello! Who are you?';

/** Path of the demo deployment by its alias. */
export const aliasPath = `/${ACCOUNT_SLUG}/${ALIAS}/v1`;

/** One line for programs. */
export const jsonReport = ({ baseUrl, consoleUrl, setupUrl, gateways, deployment, key, processes }: Result): string =>
  `${JSON.stringify({
    base_url: baseUrl,
    deployment: deploymentSlug(deployment),
    alias: `${ACCOUNT_SLUG}/${ALIAS}`,
    key: key?.value ?? null,
    gateways,
    console_url: consoleUrl,
    setup_url: setupUrl,
    processes,
  })}\n`;

const curl = (url: string, key: string): string =>
  `curl -N ${url}/chat/completions -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -d '${JSON.stringify({
    model: ALIAS,
    stream: true,
    messages: [{ role: 'user', content: QUESTION }],
  })}'`;

const python = (url: string, key: string): string => `from openai import OpenAI

client = OpenAI(base_url="${url}", api_key="${key}")
stream = client.chat.completions.create(model="${ALIAS}", stream=True, messages=[{"role": "user", "content": "${QUESTION}"}])
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)`;

const typescript = (url: string, key: string): string => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${url}', apiKey: '${key}' });
const stream = await client.chat.completions.create({ model: '${ALIAS}', stream: true, messages: [{ role: 'user', content: '${QUESTION}' }] });
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');`;

const keyLine = (key: NewKey | null): string =>
  key === null ? 'shown when it was made; another one: npm start -- --new-key' : `${key.value}\n             Shown this once: keep it.`;

const setupLine = (url: string | null): string =>
  url === null ? '' : `\n  Set-up     ${url}\n             Opens once: sets the address and password of the account's first owner.`;

const indent = (text: string): string => text.replace(/^(?=.)/gm, '  ');

/** What a person needs for the first request. */
export function textReport({ baseUrl, consoleUrl, setupUrl, gateways, deployment, key, seconds }: Result): string {
  const url = `${baseUrl}${aliasPath}`;
  const shown = key?.value ?? 'YOUR_API_KEY';
  const others = gateways.slice(1);
  return `
Slipway is ready (${seconds.toFixed(1)} s).

  Base URL   ${baseUrl}${others.length > 0 ? `\n  Gateways   ${gateways.join('  ')}` : ''}
  Deployment ${deploymentSlug(deployment)}, alias ${ACCOUNT_SLUG}/${ALIAS}
  API key    ${keyLine(key)}
  Console    ${consoleUrl}${setupLine(setupUrl)}

Try it:

${indent(curl(url, shown))}

Python (pip install openai):

${indent(python(url, shown))}

TypeScript (npm install openai):

${indent(typescript(url, shown))}

Ctrl-C stops everything.
`;
}
