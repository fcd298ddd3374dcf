import { CAPABILITIES, type CanonicalMessage, type CanonicalRequest, textOf } from '@slipway/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CONVERSATIONS } from '../../conformance/src/messages/conversations.js';
import { type Body, TOOL, user, assistant, use, result, says, called } from '../../conformance/src/messages/parts.js';
import { Door } from './door.js';
import { until } from './gateway-rig.js';
import { HONOURED, IGNORED } from './messages-accepted.js';
import { messagesContract } from './messages-contract.js';
import { LACKING, REFUSED } from './messages-refused.js';
import type { RawAnswer } from './raw-answer.js';
import { rawRequest } from './raw-client.js';

const WITHIN_MS = 30_000;
describe('a messages request', () => {
  let door: Door;
  /** Slugs of deployments: of an engine that can do everything, and of one that can do nothing beyond plain text. */
  let able: string;
  let plain: string;

  beforeAll(async () => {
    door = await Door.open({ contract: messagesContract });
    const served = door.rig.deployment(door.account.id, { context: 4096, caps: [...CAPABILITIES] });
    await door.rig.runner({ dep: served.id });
    able = `deployment-${served.id}`;
    const simple = door.rig.deployment(door.account.id, { caps: ['exact_usage'] });
    await door.rig.runner({ dep: simple.id });
    plain = `deployment-${simple.id}`;
    for (const name of [able, plain]) await until('it answers', async () => (await ask({}, name)).status === 200, WITHIN_MS);
  });
  afterAll(() => door?.end());
  afterEach(() => door.reset());

  const ask = async (body: Body, name = able, ...headers: string[]): Promise<RawAnswer> => {
    const fields = { model: name, max_tokens: 100, messages: [user('one two')], ...body };
    return (await door.converse(rawRequest(door.path(name), door.headers(...headers), JSON.stringify(fields)))).answers[0]!;
  };
  const askedOf = async (body: Body, name = able): Promise<CanonicalRequest> => {
    const runner = door.rig.runners.find(({ admitted }) => admitted.at(-1)?.dep === Number(name.replace('deployment-', '')));
    expect((await ask(body, name)).status).toBe(200);
    return runner!.admitted.at(-1)!.req;
  };
  const lineOf = (message: CanonicalMessage): string => {
    const images = message.content.map(({ type }) => (type === 'image' ? '<image>' : '')).join('');
    const thought = message.role === 'assistant' && message.reasoning !== undefined ? `(${message.reasoning}) ` : '';
    return `${message.role}: ${thought}${textOf(message)}${images}`;
  };
  const expectRefused = async (answer: RawAnswer, message: string, code: string): Promise<void> => {
    messagesContract.expectRefusal(answer, { status: 400, code });
    await messagesContract.expectRaised(answer, { status: 400, code });
    expect((JSON.parse(answer.body) as { error: { message: string } }).error.message.startsWith(message)).toBe(true);
  };

  it.each(CONVERSATIONS)('case %i: with %s reaches the engine as one conversation', async (_, __, body, lines) => {
    expect((await askedOf(body)).messages.map(lineOf)).toEqual(lines);
  });

  it.each(HONOURED)('with %s changes the answer as asked', async (_, body, canonical) => {
    expect(await askedOf(body)).toMatchObject(canonical);
  });

  it.each(IGNORED)('with %s is the same as without', async (_, body) => {
    const without = await askedOf({}, plain);
    expect(await askedOf(body, plain)).toEqual(without);
  });

  it.each(REFUSED)('with %s names the field and reaches no engine', async (_, body, message, code) => {
    const before = door.rig.runners.map(({ admitted }) => admitted.length);
    await expectRefused(await ask(body), message, code);
    expect(door.rig.runners.map(({ admitted }) => admitted.length)).toEqual(before);
  });

  it.each(LACKING)('with %s fails where the engine lacks it', async (_, body, message) => {
    const answer = await ask(body, plain);
    expect(answer.status).toBe(400);
    expect((JSON.parse(answer.body) as { error: { message: string } }).error.message.startsWith(message)).toBe(true);
    expect((await ask(body)).status).toBe(200);
  });

  it('with deferred tools shows those that results name', async () => {
    const tools = [TOOL, { ...TOOL, name: 'grep', defer_loading: true }];
    const named = says(user('q'), assistant([use('a')]), user([result('a', [{ type: 'tool_reference', tool_name: 'grep' }])]));
    expect((await askedOf({ tools })).tools?.map(({ name }) => name)).toEqual(['look']);
    expect((await askedOf({ tools, ...named })).tools?.map(({ name }) => name)).toEqual(['look', 'grep']);
  });

  it('keeps call ids and the text of inputs', async () => {
    const { messages } = await askedOf(called(result('a', 'A'), result('b', 'B')));
    expect(messages).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        tool_calls: [
          { id: 'a', name: 'look', arguments: '{"q":"a"}' },
          { id: 'b', name: 'look', arguments: '{"q":"b"}' },
        ],
      },
      { role: 'tool', tool_call_id: 'a' },
      { role: 'tool', tool_call_id: 'b' },
    ]);
  });

  it.each<[string, string[]]>([
    ['2023-06-01', ['anthropic-version: 2023-06-01']],
    ['2026-10-21', ['anthropic-version: 2026-10-21']],
    ['a version of tomorrow and betas of yesterday', ['anthropic-version: 2030-01-01', 'anthropic-beta: a-2020-01-01,b-2021-01-01']],
    ['no version', []],
  ])('of %s gets a complete answer', async (_, headers) => {
    const answer = await ask({}, able, ...headers);
    expect({ status: answer.status, body: JSON.parse(answer.body) as unknown }).toMatchObject({ status: 200, body: { type: 'message' } });
  });

  it('that only probes gets 404 without a challenge', async () => {
    const head = rawRequest(`/${able}/api/hello`, [], '', 'HEAD');
    const { answers } = await door.converse(head, 1, true);
    expect(answers[0]).toMatchObject({ status: 404, body: '' });
    expect(answers[0]?.headers.get('www-authenticate')).toBeNull();
  });
});
