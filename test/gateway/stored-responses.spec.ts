import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StreamEvent } from '@slipway/contracts';
import { fin, says, text } from './chat-chunks.js';
import { until } from './gateway-rig.js';
import { answerInWords } from './scripted-runner.js';
import { type Answer, errorOf, type Json, outputOf, StoreRig } from './store-rig.js';

const think = (x: string): StreamEvent => ({ k: 'think', x, n: 1 });
const user = (content: string): object => ({ role: 'user', content });
const reference = ({ id }: { id: string }): object => ({ type: 'item_reference', id });
const idOf = ({ json }: Answer): string => String(json['id']);

describe('a deployment that stores responses', () => {
  let stage: StoreRig;

  beforeAll(async () => {
    stage = await StoreRig.start({ gateways: 2 });
  });
  afterAll(() => stage?.end());
  beforeEach(() => {
    stage.runner.script = answerInWords;
  });

  const second = (): { gateway: (typeof stage.gateways)[number] } => ({ gateway: stage.gateways[1]! });

  it('stores what is not refused, and says so', async () => {
    for (const store of [true, null, undefined]) expect((await stage.create({ input: 'hi', store })).json).toMatchObject({ store: true });
    const not = await stage.create({ input: 'hi', store: false });
    expect(not.json).toMatchObject({ store: false });
    expect(errorOf(await stage.call('GET', `/${idOf(not)}`))).toMatchObject({ status: 404, code: 'not_found' });
  });

  it('continues a response by its id at any gateway', async () => {
    const first = await stage.create({ input: 'My name is Ada.', instructions: 'Be kind.' });
    const next = await stage.create({ input: 'Who am I?', previous_response_id: idOf(first) }, second());
    expect(next).toMatchObject({ status: 200, json: { store: true, previous_response_id: idOf(first) } });
    // Instructions are not carried on.
    expect(stage.heard).toEqual(['user: My name is Ada.', 'assistant: My name is Ada.', 'user: Who am I?']);
    await stage.create({ input: 'Sure?', previous_response_id: idOf(next) });
    expect(stage.heard).toEqual([
      ...['user: My name is Ada.', 'assistant: My name is Ada.', 'user: Who am I?', 'assistant: Who am I?', 'user: Sure?'],
    ]);
  });

  it('finds the items that a client refers to', async () => {
    stage.runner.script = says(think('hm'), text('Hello Ada.'), fin());
    const [thought, message] = outputOf(await stage.create({ input: 'I am Ada.' }));
    const input = [user('I am Ada.'), reference(thought!), reference(message!), user('Who?')];
    expect((await stage.create({ input }, second())).status).toBe(200);
    expect(stage.heard).toEqual(['user: I am Ada.', 'assistant: Hello Ada.', 'user: Who?']);
    expect(stage.asked.messages[1]).toMatchObject({ reasoning: 'hm' });
  });

  it('brings a call that a result answers', async () => {
    stage.runner.script = says(
      { k: 'call', i: 0, id: 'call_A', name: 'f', n: 1 },
      { k: 'args', i: 0, x: '{"a":1}', n: 1 },
      fin('tool_calls'),
    );
    const tools = [{ type: 'function', name: 'f' }];
    const first = await stage.create({ input: 'Look.', tools });
    const results = [{ type: 'function_call_output', call_id: 'call_A', output: 'sun' }];
    expect((await stage.create({ input: results, tools, previous_response_id: idOf(first) })).status).toBe(200);
    expect(stage.asked.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'call_A', name: 'f', arguments: '{"a":1}' }] },
      { role: 'tool', tool_call_id: 'call_A' },
    ]);
  });

  it('stores a stream before its last event', async () => {
    const { text: stream } = await stage.create({ input: 'one two', stream: true });
    const events = [...stream.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data!) as { type: string; response: Json });
    expect(events.map(({ response }) => response?.['store']).filter((store) => store !== undefined)).toEqual([true, true, true]);
    const id = String(events.at(-1)!.response['id']);
    expect((await stage.call('GET', `/${id}`, second())).json).toEqual(events.at(-1)!.response);
  });

  it('reads large bodies and conversations in threads', async () => {
    const long = 'word '.repeat(150_000);
    stage.runner.script = says(text('short'), fin());
    const first = await stage.create({ input: long });
    expect(first.json).toMatchObject({ store: true });
    const input = [user(long), reference(outputOf(first)[0]!), user('And?')];
    expect((await stage.create({ input })).status).toBe(200);
    expect(stage.heard.map((line) => line.length)).toEqual([6 + long.length, 16, 10]);
    expect((await stage.create({ input: 'And?', previous_response_id: idOf(first) }, second())).status).toBe(200);
    expect(stage.heard.map((line) => line.length)).toEqual([6 + long.length, 16, 10]);
  });

  it('refuses what it does not have, in words for the client', async () => {
    const nobody = '0'.repeat(22);
    const admitted = stage.runner.admitted.length;
    expect(errorOf(await stage.create({ input: [reference({ id: `msg_${nobody}_0` })] }))).toMatchObject({
      ...{ status: 400, code: 'item_not_found', param: 'input[0].id' },
      message: expect.stringMatching(/AI SDK: providerOptions\.openai\.store = false/) as string,
    });
    expect(errorOf(await stage.create({ input: 'x', previous_response_id: `resp_${nobody}` }))).toMatchObject({
      ...{ status: 400, code: 'previous_response_not_found', param: 'previous_response_id' },
      message: expect.stringMatching(/stored for an hour.*'store': false.*Send the whole conversation/) as string,
    });
    expect((await stage.create({ input: [user('a'), reference({ id: `rs_${nobody}_0` }), user('b')] })).status).toBe(200);
    expect(stage.runner.admitted.length).toBe(admitted + 1);
  });

  it('still refuses what it never stores', async () => {
    for (const fields of [{ conversation: 'conv_1' }, { background: true }])
      expect(errorOf(await stage.create({ input: 'x', ...fields }))).toMatchObject({ status: 400, code: 'unsupported_parameter' });
  });

  it('lists the conversation of a response, a page at a time', async () => {
    const first = await stage.create({ input: [user('one'), { role: 'developer', content: [{ type: 'input_text', text: 'two' }] }] });
    const next = await stage.create({ input: 'three', previous_response_id: idOf(first) });
    const list = async (query = ''): Promise<Json> => (await stage.call('GET', `/${idOf(next)}/input_items${query}`)).json;
    const whole = await list('?order=asc');
    expect(whole).toMatchObject({
      ...{ object: 'list', has_more: false },
      data: [
        { type: 'message', role: 'user', status: 'completed', content: [{ type: 'input_text', text: 'one' }] },
        { role: 'developer', content: [{ type: 'input_text', text: 'two' }] },
        { role: 'assistant', content: [{ type: 'output_text' }] },
        { role: 'user', content: [{ type: 'input_text', text: 'three' }] },
      ],
    });
    const ids = (whole['data'] as { id: string }[]).map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    expect(await list('?limit=3')).toMatchObject({ first_id: ids[3], last_id: ids[1], has_more: true });
    expect(await list(`?limit=3&after=${ids[1]}`)).toMatchObject({ first_id: ids[0], last_id: ids[0], has_more: false });
    for (const query of ['?limit=0', '?limit=101', '?order=up', '?after=msg_1'])
      expect(errorOf(await stage.call('GET', `/${idOf(next)}/input_items${query}`))).toMatchObject({ status: 400, code: 'invalid_value' });
  });

  it('deletes a response, and nothing that continues it', async () => {
    const first = await stage.create({ input: 'one' });
    const next = await stage.create({ input: 'two', previous_response_id: idOf(first) });
    expect((await stage.call('DELETE', `/${idOf(first)}`, second())).json).toEqual({ id: idOf(first), object: 'response', deleted: true });
    for (const [method, end] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/input_items'],
    ] as const)
      expect((await stage.call(method, `/${idOf(first)}${end}`)).status).toBe(404);
    expect((await stage.create({ input: 'x', previous_response_id: idOf(first) })).status).toBe(400);
    expect((await stage.create({ input: 'x', previous_response_id: idOf(next) })).status).toBe(200);
  });

  it('answers other methods with those that there are', async () => {
    expect(errorOf(await stage.call('PUT', '/resp_1'))).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(errorOf(await stage.call('GET', '/resp_1'))).toMatchObject({ status: 404, code: 'not_found' });
    expect((await stage.call('GET', `/${idOf(await stage.create({ input: 'x' }))}?stream=true`)).status).toBe(400);
  });

  it('hides responses from other accounts and deployments', async () => {
    const mine = await stage.create({ input: 'mine' });
    const { rig } = stage;
    const stranger = rig.account().id;
    const theirs = rig.deployment(stranger, { store: true });
    const other = rig.deployment(stage.account.id, { store: true });
    const key = rig.key(stranger).value;
    await rig.runner({ dep: theirs.id });
    await rig.runner({ dep: other.id });
    await rig.whenAnswering(stage.gateways[0]!, theirs, key);
    await rig.whenAnswering(stage.gateways[0]!, other, stage.key);
    const unknown = `resp_${'0'.repeat(22)}`;
    for (const place of [{ deployment: theirs, key }, { deployment: other }]) {
      for (const [method, end] of [
        ['GET', ''],
        ['DELETE', ''],
        ['GET', '/input_items'],
      ] as const) {
        const [found, not] = [
          await stage.call(method, `/${idOf(mine)}${end}`, place),
          await stage.call(method, `/${unknown}${end}`, place),
        ];
        expect(found.status).toBe(404);
        expect(found.text.replace(idOf(mine), unknown)).toBe(not.text);
      }
      expect((await stage.create({ input: [reference(outputOf(mine)[0]!)] }, place)).status).toBe(400);
      expect((await stage.create({ input: 'x', previous_response_id: idOf(mine) }, place)).status).toBe(400);
    }
    expect((await stage.call('GET', `/${idOf(mine)}`, { deployment: theirs })).status).toBe(404);
    expect((await stage.call('GET', `/${idOf(mine)}`)).status).toBe(200);
  });

  it('keeps nothing readable in the store', async () => {
    await stage.create({ input: 'canary-prompt canary-answer' });
    const { subjects, bytes } = await stage.stored();
    expect(subjects.length).toBeGreaterThan(2);
    expect(bytes.toString('latin1')).not.toMatch(/canary|message|assistant/);
  });

  it('removes all that a deployment stored once it is gone or stores no longer', async () => {
    const { rig, account } = stage;
    const facts = rig.deployment(account.id, { store: true });
    await rig.runner({ dep: facts.id });
    await rig.whenAnswering(stage.gateways[0]!, facts, stage.key);
    const of = (subjects: readonly string[]): string[] => subjects.filter((subject) => subject.includes(`.r.${account.id}.${facts.id}.`));
    const first = await stage.create({ input: 'one' }, { deployment: facts });
    expect(of((await stage.stored()).subjects)).toHaveLength(2);
    rig.deployments.put(`deployment:${facts.id}`, { ...facts, store: false });
    await until('nothing is stored', async () => of((await stage.stored()).subjects).length === 0);
    expect(errorOf(await stage.call('GET', `/${idOf(first)}`, { deployment: facts }))).toMatchObject({
      ...{ status: 404, message: expect.stringMatching(/^Answers are not kept here/) as string },
    });
    rig.deployments.put(`deployment:${facts.id}`, { ...facts, store: true });
    await until('it stores again', async () => (await stage.create({ input: 'two' }, { deployment: facts })).json['store'] === true);
    rig.deployments.remove(`deployment:${facts.id}`);
    await until('nothing is stored', async () => of((await stage.stored()).subjects).length === 0);
    expect((await stage.stored()).subjects.length).toBeGreaterThan(0);
  });

  it('removes all that an account stored once it is suspended', async () => {
    const { rig } = stage;
    const account = rig.account();
    const facts = rig.deployment(account.id, { store: true });
    const key = rig.key(account.id).value;
    await rig.runner({ dep: facts.id });
    await rig.whenAnswering(stage.gateways[0]!, facts, key);
    await stage.create({ input: 'one' }, { deployment: facts, key });
    const of = (subjects: readonly string[]): string[] =>
      subjects.filter((subject) => subject.includes(`.r.${account.id}.`) || subject.endsWith(`.use.${account.id}`));
    expect(of((await stage.stored()).subjects)).toHaveLength(3);
    rig.keys.put(`account:${account.id}`, { type: 'account', ...account, state: 'suspended' });
    await until('nothing is stored', async () => of((await stage.stored()).subjects).length === 0);
  });
});

describe('stored responses', () => {
  it('are gone when their time is over', async () => {
    const stage = await StoreRig.start({ ageMs: 1_500 });
    try {
      const first = await stage.create({ input: 'one' });
      expect(first.json).toMatchObject({ store: true });
      await until('it is gone', async () => (await stage.call('GET', `/${idOf(first)}`)).status === 404);
      expect((await stage.create({ input: 'x', previous_response_id: idOf(first) })).status).toBe(400);
      expect((await stage.stored()).bytes.length).toBe(0);
    } finally {
      await stage.end();
    }
  });

  it('are not there where the store is not, and answers say so', async () => {
    const stage = await StoreRig.start({ hasStore: false });
    try {
      expect((await stage.create({ input: 'one two' })).json).toMatchObject({ status: 'completed', store: false });
      const { text: stream } = await stage.create({ input: 'one two', stream: true });
      expect(stream).toMatch(/event: response\.completed\ndata: .*"store":false.*\n\n$/);
      const id = `resp_${'0'.repeat(22)}`;
      expect(errorOf(await stage.create({ input: 'x', previous_response_id: id }))).toMatchObject({ status: 503 });
      expect((await stage.call('GET', `/${id}`)).status).toBe(503);
      expect((await stage.create({ input: 'x', store: false })).status).toBe(200);
    } finally {
      await stage.end();
    }
  });
});
