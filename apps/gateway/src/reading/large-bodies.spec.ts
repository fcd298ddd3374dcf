import type { ServiceError } from '@slipway/contracts';
import type { ThreadTask } from '@slipway/platform';
import { describe, expect, it } from 'vitest';
import type { ResolvedDeployment } from '../deployments/deployment-resolver.service.js';
import { CHAT_TEXTS } from '../surfaces/chat/conversation.js';
import { readChatRequest } from '../surfaces/chat/request.js';
import { MESSAGES_TEXTS } from '../surfaces/messages/conversation.js';
import { readMessagesRequest } from '../surfaces/messages/request.js';
import { RESPONSES_TEXTS } from '../surfaces/responses/conversation.js';
import { readResponsesRequest } from '../surfaces/responses/request.js';
import { namesIn } from '../stored/references.js';
import type { BodyReading } from '../surfaces/surface.js';
import { readInThread, RequestReader, type ReadTask } from './request-reader.js';

type Reading = Pick<BodyReading, 'read' | 'reader' | 'texts' | 'namesIn'>;
const CHAT: Reading = { reader: 'chat', read: readChatRequest, texts: CHAT_TEXTS };
const MESSAGES: Reading = { reader: 'messages', read: readMessagesRequest, texts: MESSAGES_TEXTS };
const RESPONSES: Reading = { reader: 'responses', read: readResponsesRequest, texts: RESPONSES_TEXTS, namesIn };

const stable = { facts: { id: 1, context: null, caps: ['tools', 'images', 'continue_final'] }, slug: 'deployment-1', alias: undefined };
const candidate = { facts: { id: 2, context: 40_000, caps: ['tools'] }, slug: 'deployment-2', alias: undefined, isNamed: () => true };
const canary = { canServe: true, percent: 50, seed: 7, candidate };
const open = { ...stable, isNamed: (name: string) => name === 'deployment-1', canary } as unknown as ResolvedDeployment;

/** What reading a body comes to, and whether a thread read it. */
async function outcomeOf(
  bytes: Buffer,
  reading: Reading,
  deployment: ResolvedDeployment,
): Promise<{ outcome: unknown; inThread: boolean }> {
  let inThread = false;
  const run = <Outcome>({ message }: ThreadTask): Promise<Outcome> => {
    inThread = true;
    return Promise.resolve(readInThread(message as ReadTask, reading) as Outcome);
  };
  const reader = new RequestReader({ run }, { imageHosts: [] }, { find: () => Promise.reject(new Error('Nothing is stored.')) });
  const hold = { release: () => undefined, shrinkTo: () => undefined, take: () => 'taken' };
  const context = { caller: { account: { id: 1 }, key: { id: 1 } }, deployment, response: {}, body: async () => ({ bytes, hold }) };
  try {
    const { hold: _hold, canonical, ...read } = await reader.read(reading, context as never);
    const json = Buffer.concat([canonical].flat() as Uint8Array[]).toString();
    return { inThread, outcome: { ...read, canonical: JSON.parse(json) as unknown } };
  } catch (error) {
    const { code, message, param } = error as ServiceError;
    return { inThread, outcome: { code, message, param } };
  }
}

/** Reads a body without its long texts and as a whole, and expects the same. @returns whether it was read without them */
async function expectSame(body: Buffer, reading: Reading, deployment = open): Promise<boolean> {
  const { texts: _texts, ...whole } = reading;
  const [quick, slow] = await Promise.all([reading, whole].map((way) => outcomeOf(Buffer.from(body), way, deployment)));
  expect(slow?.inThread).toBe(true);
  expect(quick?.outcome).toEqual(slow?.outcome);
  return quick?.inThread === false;
}

const LONG = 'Größe "x"\n😀 lorem ipsum dolor sit amet '.repeat(100);
const HUGE = 'Lorem ipsum dolor sit amet. '.repeat(3_000);
const jsonOf = (body: object): Buffer => Buffer.from(JSON.stringify(body));
const chat = (messages: readonly object[], more: object = {}): Buffer => jsonOf({ model: 'deployment-1', messages, ...more });
const messages = (list: readonly object[], more: object = {}): Buffer =>
  jsonOf({ model: 'deployment-1', max_tokens: 10, messages: list, ...more });
const user = (content: unknown): object => ({ role: 'user', content });
const assistant = (content: unknown, more: object = {}): object => ({ role: 'assistant', content, ...more });
const text = (words: string): object => ({ type: 'text', text: words });
const toolUse = { type: 'tool_use', id: 'c1', name: 'write', input: { content: LONG, text: HUGE.slice(0, 9_000) } };
const result = (content: unknown): object => ({ type: 'tool_result', tool_use_id: 'c1', content });
const responses = (input: unknown, more: object = {}): Buffer => jsonOf({ model: 'deployment-1', input, ...more });
const output = (content: unknown): object => ({ type: 'function_call_output', call_id: 'c1', output: content });
const functionCall = { type: 'function_call', call_id: 'c1', name: 'write', arguments: JSON.stringify({ content: LONG }) };
const reasoning = { type: 'reasoning', id: 'r', content: [{ type: 'reasoning_text', text: LONG }], summary: [] };
const inputText = (words: string): object => ({ type: 'input_text', text: words });
const pixel = 'data:image/png;base64,iVBORw0KGgo=';

describe('a large body', () => {
  it.each<[string, Reading, Buffer]>([
    ['one text', CHAT, chat([user(HUGE)])],
    ['texts in parts', CHAT, chat([user([text(LONG), text(HUGE), text('?')]), assistant(LONG), user('And?')])],
    ['a system prompt', CHAT, chat([{ role: 'system', content: HUGE }, user(LONG)])],
    ['results of calls', CHAT, chat([user('Hi.'), assistant(null, { tool_calls: [call({ content: LONG })] }), tool(HUGE), user(LONG)])],
    ['an image', CHAT, chat([user([text(HUGE), { type: 'image_url', image_url: { url: pixel } }, text(LONG)])])],
    ['other text behind each', CHAT, chat([user([text(HUGE), text('0')])])],
    ['names', CHAT, chat([{ name: 'n', ...user(HUGE) }], { prompt_cache_key: 'k', max_tokens: 5, user: 'u' })],
    ['one text', MESSAGES, messages([user(HUGE)])],
    ['blocks', MESSAGES, messages([user([text(LONG), text(HUGE)]), assistant([text(LONG), text(LONG)]), user('And?')], { system: LONG })],
    ['results', MESSAGES, messages([user('Hi.'), assistant([text(LONG), toolUse]), user([result(HUGE), text(LONG)])])],
    ['results in blocks', MESSAGES, messages([user('Hi.'), assistant([toolUse]), user([result([text(HUGE), text(LONG)])])])],
    ['an instruction', MESSAGES, messages([user(HUGE), { role: 'system', content: LONG }, assistant(LONG), user(LONG)])],
    ['one text', RESPONSES, responses(HUGE, { instructions: 'Be brief.' })],
    [
      'parts',
      RESPONSES,
      responses([user([inputText(LONG), inputText(HUGE)]), assistant([{ type: 'output_text', text: LONG }]), user(LONG)]),
    ],
    ['reasoning', RESPONSES, responses([user(HUGE), reasoning, assistant([{ type: 'output_text', text: LONG }]), user('?')])],
    ['results', RESPONSES, responses([user('Hi.'), functionCall, output(HUGE), user(LONG)], { store: false })],
    ['results in parts', RESPONSES, responses([user('Hi.'), functionCall, output([inputText(HUGE), inputText(LONG)])])],
  ])('with %s is read without its long texts, to the same end', async (_, reading, body) => {
    expect(await expectSame(body, reading)).toBe(true);
  });

  it.each<[string, Reading, Buffer]>([
    ['that names another deployment', CHAT, chat([user(HUGE)], { model: 'other' })],
    ['that is refused', CHAT, chat([user(HUGE)], { temperature: 9 })],
    ['that is broken', CHAT, Buffer.concat([chat([user(HUGE)]), Buffer.from('x')])],
    [
      'with half a surrogate pair',
      CHAT,
      Buffer.from(
        chat([user(HUGE)])
          .toString()
          .replace('Lorem', '\\ud83d'),
      ),
    ],
    ['whose answer goes on with a text', CHAT, chat([user('?'), assistant(HUGE)], { continue_final_message: true })],
    ['whose answer goes on with a blank end', MESSAGES, messages([user('?'), assistant(`${HUGE}${' '.repeat(3_000)}`)])],
    ['whose answer goes on with blanks', MESSAGES, messages([user(HUGE), assistant(' '.repeat(3_000))])],
    ['with long arguments', CHAT, chat([user('Hi.'), assistant(null, { tool_calls: [call({ content: HUGE })] }), tool('ok')])],
    ['with a long system prompt', MESSAGES, messages([user('Hi.')], { system: `x-anthropic-billing-header: 1\n${HUGE}` })],
    ['without a user', MESSAGES, messages([{ role: 'system', content: HUGE }])],
    ['that goes on with what is not stored', RESPONSES, responses(HUGE, { previous_response_id: `resp_${'a'.repeat(22)}` })],
    ['of more than a mebibyte', CHAT, chat([user(HUGE.repeat(15))])],
  ])('%s is read as a whole', async (_, reading, body) => {
    expect(await expectSame(body, reading)).toBe(false);
  });

  it('whose response is stored is read as a whole', async () => {
    const storing = { ...open, facts: { ...open.facts, store: true } };
    expect(await expectSame(responses(HUGE), RESPONSES, storing)).toBe(false);
    expect(await expectSame(chat([user(HUGE)]), CHAT, storing)).toBe(true);
  });

  it('goes to the same side of a canary, and to the same worker', async () => {
    let without = 0;
    for (let i = 0; i < 40; i += 1) {
      const first = `${i % 2 === 0 ? LONG.repeat(i % 9) : ''}${i}`;
      // Only their first 16 Ki characters decide, which may end within a text.
      if (await expectSame(chat([user([text(first), text(`${HUGE}${i}`)])]), CHAT)) without += 1;
      if (await expectSame(messages([user(`${'é'.repeat(16_380 + (i % 8))}😀${i}${HUGE}`)]), MESSAGES)) without += 1;
    }
    expect(without).toBe(80);
  });
});

function call(args: object): object {
  return { id: 'c1', type: 'function', function: { name: 'write', arguments: args } };
}

function tool(content: unknown): object {
  return { role: 'tool', tool_call_id: 'c1', content };
}
