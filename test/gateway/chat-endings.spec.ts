import { ServiceError } from '@slipway/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fin, text } from './chat-chunks.js';
import { Door } from './door.js';
import { until } from './gateway-rig.js';
import { CONTRACTS } from './expect-row.js';
import type { RawAnswer } from './raw-answer.js';
import { rawRequest } from './raw-client.js';
import { answerSlowly, type Script, usageOf } from './scripted-runner.js';

const WITHIN_MS = 30_000;

describe('the end of a chat answer', () => {
  let door: Door;

  beforeAll(async () => {
    door = await Door.open({ contract: CONTRACTS.find(({ name }) => name === 'chat')!, environment: { QUEUE_WAIT_MS: '300' } });
  });
  afterAll(() => door?.end());
  afterEach(() => door.reset());

  const user = { role: 'user', content: 'one two three' };
  const request = (fields: object): string =>
    rawRequest(door.path(), door.headers(), JSON.stringify({ model: door.slug, messages: [user], ...fields }));
  const ask = async (fields: object = {}): Promise<RawAnswer> => (await door.converse(request(fields))).answers[0]!;

  it('that fails early has a status, streamed or not', async () => {
    const tooLong = new ServiceError('context_length_exceeded', 'Too long.', { facts: { tokens: 900, context: 512 } });
    for (const [error, status, code, param] of [
      [new ServiceError('engine_error', 'The model failed.'), 502, 'engine_error', null],
      [tooLong, 400, 'context_length_exceeded', 'messages'],
      [new ServiceError('unsupported_value', 'No forced calls.', { param: 'tool_choice' }), 400, 'unsupported_value', 'tool_choice'],
    ] as const) {
      door.runner.script = () => Promise.reject(error);
      for (const streamed of [true, false]) {
        const answer = await ask({ stream: streamed });
        expect({ status: answer.status, body: JSON.parse(answer.body) as unknown }).toMatchObject({
          status,
          body: { error: { code, param } },
        });
        expect(answer.headers.get('content-type')).toBe('application/json');
      }
    }
  });

  it.each([
    [{ guided_json: { type: 'object' } }, 'response_format', 'guided_json'],
    [{ guided_regex: 'a+' }, 'structured_outputs', 'guided_regex'],
    [{ guided_choice: ['a'] }, 'structured_outputs', 'guided_choice'],
    [{ guided_grammar: 'root ::= "a"' }, 'structured_outputs', 'guided_grammar'],
    [{ regex: 'a+' }, 'structured_outputs.regex', 'regex'],
    [{ grammar: 'root ::= "a"' }, 'structured_outputs', 'grammar'],
    [{ structured_outputs: { json: { type: 'object' } } }, 'response_format', 'structured_outputs'],
    [{ response_format: { type: 'json_object' } }, 'response_format', 'response_format'],
    [{ max_completion_tokens: 5 }, 'max_tokens', 'max_completion_tokens'],
    [{ max_tokens: 5 }, 'max_tokens', 'max_tokens'],
  ])('that the engine rejects names the client’s field: %j', async (fields, engines, own) => {
    door.runner.script = () => Promise.reject(new ServiceError('invalid_value', 'The engine cannot read it.', { param: engines }));
    for (const stream of [true, false]) {
      const { status, body } = await ask({ ...fields, stream });
      expect({ status, param: (JSON.parse(body) as { error: { param: string } }).error.param }).toEqual({ status: 400, param: own });
    }
  });

  const endings: readonly (readonly [how: string, script: Script])[] = [
    [
      'an engine that dies',
      async (_start, writer) => {
        writer.events([text('half ')]);
        throw new ServiceError('engine_error', 'The model failed.');
      },
    ],
    [
      'an engine that hangs up without saying why it ended',
      async (_start, writer) => {
        writer.events([text('half ')]);
        return usageOf(1);
      },
    ],
    [
      'an engine that dies inside the arguments of a call',
      async (_start, writer) => {
        writer.events([text('half '), { k: 'call', i: 0, id: 'a', name: 'f', n: 1 }, { k: 'args', i: 0, x: '{"x":', n: 1 }]);
        throw new ServiceError('engine_error', 'The model failed.');
      },
    ],
    [
      'an engine that ends one choice of two',
      async (_start, writer) => {
        writer.events([text('half ', 0), text('x', 1), fin('stop', 1)]);
        return usageOf(2);
      },
    ],
  ];
  it.each(endings)('of %s ends with one error and no finish', async (how, script) => {
    door.runner.script = script;
    const fields = how.includes('two') ? { n: 2 } : {};
    const client = (await door.connect()).send(request({ stream: true, ...fields }));
    const received = await client.untilClosed(WITHIN_MS);
    expect(received).toMatch(
      /"half "[^]*data: \{"error":\{"message":"[^"]+","type":"server_error","param":null,"code":"engine_error"\}\}\n\n\r\n$/,
    );
    expect(received).not.toMatch(/\[DONE\]|"finish_reason":"|\r\n0\r\n/);
    expect(received.match(/"error"/g)).toHaveLength(1);
    const whole = await ask(fields);
    expect({ status: whole.status, body: JSON.parse(whole.body) as unknown }).toMatchObject({
      status: 502,
      body: { error: { code: 'engine_error' } },
    });
  });

  it('that is not possible now has a retry time', async () => {
    door.runner.script = answerSlowly(100_000, 100);
    const held = await Promise.all(Array.from({ length: 8 }, async () => (await door.connect()).send(request({ stream: true }))));
    await until('all slots are taken', () => door.runner.used === 8, WITHIN_MS);
    const answer = await ask();
    expect({ status: answer.status, code: (JSON.parse(answer.body) as { error: { code: string } }).error.code }).toEqual({
      status: 503,
      code: 'overloaded',
    });
    expect(answer.headers.get('retry-after')).toMatch(/^([1-9]|[12]\d|30)$/);
    for (const client of held) client.destroy();
  });
});
