import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Client, type ElicitResult, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createLogger } from '@slipway/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedTrainer } from '../../../apps/training-worker/src/trainers/embedded/embedded-trainer.js';
import { documentOf, runCli } from '../../cli/cli-rig.js';
import { type Stack, startStack } from '../../e2e/stack.js';
import { until } from '../../testing/until.js';
import { sampleData } from '../../training/sample.js';
import { askingClient, call, type ToolAnswer } from '../stage/mcp-stage.js';

/** Where tests install trainers, once. */
const TRAINERS = fileURLToPath(new URL('../../../.cache/trainers', import.meta.url));
const LONG_MS = 600_000;

const PAGE = readFileSync(new URL('../../../docs/fine-tuning.md', import.meta.url), 'utf8');
/** The lines of the walk-through, as the page has them: who, and what. */
const LINES = [.../^```agent\n(.*?)^```/gms.exec(PAGE)![1]!.matchAll(/^(\w+) +(.*)$/gm)].map(([, who = '', what = '']) => ({ who, what }));

let stack: Stack;
let agent: Client;
let tools: ReadonlySet<string>;
/** Questions that were put to the person, who agrees to those that the page has. */
const asked: string[] = [];
const expected = LINES.filter(({ who }) => who === 'person').map(({ what }) => what);

/** How long it takes is known once the base was trained, so no page can say it. */
const withoutTime = (question: string): string => question.replace(/, about \d+ min(?=[?,])/, '');

function person(question: string): ElicitResult {
  asked.push(withoutTime(question));
  return expected.includes(withoutTime(question)) ? { action: 'accept', content: { agree: true } } : { action: 'decline' };
}

beforeAll(async () => {
  await new EmbeddedTrainer({ folder: TRAINERS, threads: 1, log: createLogger('test', 'silent') }).install(new AbortController().signal);
  stack = await startStack();
  await cp(TRAINERS, join(stack.dataDir, 'trainers'), { recursive: true });
  const key = documentOf<{ value: string }>(await runCli(['keys', 'mcp', 'create', '--json', '--data-dir', stack.dataDir]));
  agent = askingClient(person);
  const headers = { authorization: `Bearer ${key.value}` };
  await agent.connect(new StreamableHTTPClientTransport(new URL('/mcp', stack.console_url), { requestInit: { headers } }));
  tools = new Set((await agent.listTools()).tools.map(({ name }) => name));
}, LONG_MS);
afterAll(async () => {
  await agent?.close();
  await stack?.stop();
});

/** What answers had so far, by the name of the field. */
const known = new Map<string, unknown>();

/** The arguments of a line, with what earlier answers had in the places of `<name>`. */
function argumentsOf(json: string): Record<string, unknown> {
  const filled = json.replaceAll(/"<(\w+)>"/g, (_, name: string) => JSON.stringify(known.get(name)));
  return JSON.parse(filled) as Record<string, unknown>;
}

/** The tools that an answer says to call next, in its order. */
const next = ({ data }: ToolAnswer): string[] =>
  [...new Set(String(data['next_step']).match(/[a-z]+(?:_[a-z]+)+/g))].filter((one) => tools.has(one));

/** Calls a tool until its answer leads to another one than itself. @throws where it refuses, with its words */
function onward(tool: string, args: Record<string, unknown>): Promise<ToolAnswer> {
  return until(
    `${tool} leads on`,
    async () => {
      const answer = await call(agent, tool, args);
      if (answer.isError) throw new Error(`${tool}: ${answer.text}`);
      const after = next(answer);
      return (after.length !== 1 || after[0] !== tool) && answer;
    },
    LONG_MS,
    500,
  );
}

/** Sends the file by the command line that an answer had. */
async function sendFile(): Promise<void> {
  const file = join(stack.dataDir, 'codename.jsonl');
  await writeFile(file, sampleData());
  await promisify(execFile)('sh', ['-c', String(known.get('curl')).replace('FILE', file)]);
}

async function answerOf(alias: string, content: string): Promise<string> {
  const response = await fetch(`${stack.base_url}/local/${alias}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stack.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: alias, temperature: 0, messages: [{ role: 'user', content }] }),
  });
  return response.text();
}

/** What the last tool answered. */
let last: Pick<ToolAnswer, 'data'> = { data: {} };
/** Asks what the last client asked: an alias that was moved leads elsewhere within a second. */
let ask: () => Promise<string> = () => Promise.resolve('');
/** The tools to which the last answers led. */
let leads: readonly string[] = [];

async function calls(what: string): Promise<void> {
  const [, tool = '', json = ''] = /^(\w+) (.*)$/.exec(what) ?? [];
  // That an alias moves is for the person to wish; no answer leads there.
  if (leads.length > 0 && tool !== 'start_rollout') expect(leads).toContain(tool);
  const answer = await onward(tool, argumentsOf(json));
  for (const [name, value] of Object.entries(answer.data)) known.set(name, value);
  last = answer;
  leads = next(answer);
}

async function prompted(what: string): Promise<void> {
  const [, name = '', json = ''] = /^(\w+) (.*)$/.exec(what) ?? [];
  const { messages } = await agent.getPrompt({ name, arguments: argumentsOf(json) as Record<string, string> });
  const { content } = messages[0] ?? {};
  const named = content?.type === 'text' ? (content.text.match(/[a-z]+(?:_[a-z]+)+/g) ?? []) : [];
  // The whole way is in the prompt.
  for (const { who, what: line } of LINES) if (who === 'agent') expect(named).toContain(/^\w+/.exec(line)?.[0]);
}

const STEPS: Readonly<Record<string, (what: string) => Promise<unknown> | undefined>> = {
  prompt: prompted,
  agent: calls,
  shell: sendFile,
  answer: async (what) => expect(last.data).toMatchObject(JSON.parse(what) as object),
  // The agent's next call puts it to them; what was asked is compared at the end.
  person: () => undefined,
  client: async (what) => {
    const [, alias = '', question = ''] = /^(\S+): (.*)$/.exec(what) ?? [];
    ask = () => answerOf(alias, question);
  },
  says: (what) => until(`an answer with ${what}`, async () => (await ask()).includes(what)),
  lacks: (what) => until(`an answer without ${what}`, async () => !(await ask()).includes(what)),
};

describe.sequential('an agent that does what the page says', () => {
  it.each(LINES.map((line, no) => [`${no + 1}: ${line.who} ${line.what}`.slice(0, 70), line] as const))(
    '%s',
    async (_, { who, what }) => {
      expect(Object.keys(STEPS)).toContain(who);
      await STEPS[who]?.(what);
    },
    LONG_MS,
  );

  it('has the person asked what the page says, and nothing else', () => {
    expect(asked).toEqual(expected);
  });
});
