import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Rounds whose median counts; the builds take turns within each. */
const ROUNDS = 41;
/** Processor time of one turn at least, in milliseconds. */
const TURN_MS = 20;

type Reader = (body: Record<string, unknown>, deployment: object, policy: object) => unknown;
type Readers = Readonly<Record<Sample['reader'], Reader>>;

/** A body, and the reader that checks it. */
interface Sample {
  readonly name: string;
  readonly reader: 'chat' | 'messages';
  readonly body: Record<string, unknown>;
  /** The gateway refuses it. */
  readonly isRefused?: boolean;
}

const DEPLOYMENT = { facts: { context: 131_072, caps: [] }, slug: 'deployment-1', alias: undefined, isNamed: () => true };
const POLICY = { imageHosts: [] };

const turns = (many: number, text: string): object[] =>
  Array.from({ length: many }, (_, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: text }));
const blockTurns = (many: number, text: string): object[] =>
  Array.from({ length: many }, (_, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: [{ type: 'text', text }] }));
const parameters = {
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`field_${i}`, { type: 'string', description: 'What it is for.' }])),
};
const chatTools = Array.from({ length: 20 }, (_, i) => ({
  type: 'function',
  function: { name: `tool_${i}`, description: 'Does something useful.', parameters },
}));
const model = 'deployment-1';
const settings = { temperature: 0.7, top_p: 0.9, max_tokens: 256, stream: true, stream_options: { include_usage: true } };
const user = { role: 'user', content: 'Hello there.' };

/** Bodies whose checks take time in different places. */
export const SAMPLES: readonly Sample[] = [
  { name: 'chat, small', reader: 'chat', body: { model, messages: [{ role: 'system', content: 'Be brief.' }, user], ...settings } },
  { name: 'chat, 20 tools', reader: 'chat', body: { model, messages: [user], tools: chatTools, tool_choice: 'auto', ...settings } },
  { name: 'chat, 400 kB in 1,000 messages', reader: 'chat', body: { model, messages: [...turns(1_000, 'x'.repeat(400)), user] } },
  {
    name: 'chat, refused at message 1,000',
    reader: 'chat',
    body: { model, messages: [...turns(1_000, 'x'), { role: 'user', content: 5 }] },
    isRefused: true,
  },
  { name: 'messages, small', reader: 'messages', body: { model, max_tokens: 256, messages: [user], stream: true, system: 'Be brief.' } },
  {
    name: 'messages, 400 kB in 1,000 messages of blocks',
    reader: 'messages',
    body: { model, max_tokens: 256, messages: [...blockTurns(1_000, 'x'.repeat(400)), user] },
  },
  { name: 'messages, 50,000 messages', reader: 'messages', body: { model, max_tokens: 256, messages: [...turns(50_000, 'Hi.'), user] } },
];

const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Processor time of this process for so many reads, in microseconds. */
function cpuOf(read: () => void, times: number): number {
  const { user: before } = process.cpuUsage();
  for (let i = 0; i < times; i += 1) read();
  return process.cpuUsage().user - before;
}

function timesFor(read: () => void): number {
  let times = 1;
  while (cpuOf(read, times) < TURN_MS * 1_000) times *= 2;
  return times;
}

/** The readers of a built checkout. Older ones have all of them in one module. */
async function readersOf(root: string): Promise<Readers> {
  const surfaces = join(root, 'apps/gateway/dist/surfaces');
  const load = async <Exports>(file: string): Promise<Exports> => (await import(pathToFileURL(join(surfaces, file)).href)) as Exports;
  if (existsSync(join(surfaces, 'readers.js'))) return (await load<{ readonly READERS: Readers }>('readers.js')).READERS;
  const [{ readChatRequest }, { readMessagesRequest }] = await Promise.all([
    load<{ readonly readChatRequest: Reader }>('chat/request.js'),
    load<{ readonly readMessagesRequest: Reader }>('messages/request.js'),
  ]);
  return { chat: readChatRequest, messages: readMessagesRequest };
}

/**
 * Loads what checks bodies in the gateway of a built checkout.
 * @param root the checkout
 * @returns a function that checks a sample, and throws where its body is refused
 */
export async function checkOf(root: string): Promise<(sample: Sample) => unknown> {
  const readers = await readersOf(root);
  return ({ reader, body }) => readers[reader](body, DEPLOYMENT, POLICY);
}

/**
 * Measures what checking a parsed body costs, and prints a table in microseconds of processor time.
 * @param root the built repository.
 * @param other another built checkout to compare with; absent = none.
 * @returns the exit code.
 */
export async function runBodiesBench(root: string, other?: string): Promise<number> {
  const builds = await Promise.all([root, ...(other === undefined ? [] : [other])].map(checkOf));
  const head = ['body', 'this build, µs', ...(other === undefined ? [] : ['other build, µs', 'ratio'])];
  process.stdout.write(`| ${head.join(' | ')} |\n|${' --- |'.repeat(head.length)}\n`);
  for (const sample of SAMPLES) {
    const runs = builds.map((check) => {
      const read = (): void => {
        try {
          check(sample);
        } catch {
          // A sample that is refused costs what its error costs.
        }
      };
      return { read, times: timesFor(read), costs: [] as number[] };
    });
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const { read, times, costs } of runs) costs.push(cpuOf(read, times) / times);
    }
    const medians = runs.map(({ costs }) => medianOf(costs));
    const [own = Number.NaN, theirs] = medians;
    const cells = [
      sample.name,
      ...medians.map((median) => median.toFixed(1)),
      ...(theirs === undefined ? [] : [(own / theirs).toFixed(2)]),
    ];
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  }
  return 0;
}
