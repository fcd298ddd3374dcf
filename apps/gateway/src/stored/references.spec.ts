import { ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import type { StoredValues } from './stored-values.js';
import { conversationOf, itemTexts, namesIn, storedConversation, streamIn } from './references.js';
import type { InputItem } from '../surfaces/responses/schema.js';

const FIRST = 'a'.repeat(22);
const OTHER = 'b'.repeat(22);
const bytes = (text: string): Uint8Array => Buffer.from(text);

const question = { type: 'message', role: 'user', content: 'Who?' } as const;
const answer = { id: `msg_${FIRST}_1`, type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Ada' }] };
const thought = { id: `rs_${FIRST}_0`, type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] };
const STORED: StoredValues = new Map([
  [`${FIRST}.o`, bytes(JSON.stringify({ id: `resp_${FIRST}`, output: [thought, answer] }))],
  [`${FIRST}.i`, bytes(JSON.stringify(question))],
]);
const reference = (id: string): InputItem => ({ type: 'item_reference', id });

function faultOf(input: string | readonly InputItem[], previous?: string, stored?: StoredValues): Partial<ServiceError> {
  try {
    conversationOf(input, previous, stored);
  } catch (error) {
    return error as ServiceError;
  }
  throw new Error('It was accepted.');
}

describe('references to stored responses', () => {
  it('are known by the stream in their ids', () => {
    expect([`resp_${FIRST}`, `msg_${FIRST}_12`, `ctc_${FIRST}_0`].map(streamIn)).toEqual([FIRST, FIRST, FIRST]);
    expect(['resp_1', `resp_${FIRST}.x`, 'rs_', `msg_${FIRST}_`, '', null, 5].map(streamIn)).toEqual(Array(7).fill(null));
  });

  it('name each value once, and other bodies none', () => {
    const input = [reference(`msg_${FIRST}_0`), reference(`fc_${FIRST}_1`), reference(`msg_${OTHER}_0`), reference('msg_1'), question];
    expect(namesIn({ input })).toEqual([`${FIRST}.o`, `${OTHER}.o`]);
    expect(namesIn({ input: 'x', previous_response_id: `resp_${FIRST}` })).toEqual([`${FIRST}.o`, `${FIRST}.i`]);
    for (const body of [{}, { input: 5 }, { input: [null, 1, { type: 'item_reference' }] }, { previous_response_id: {} }])
      expect(namesIn(body)).toEqual([]);
  });

  it('bring what they name, in place', () => {
    const input = [question, reference(thought.id), reference(answer.id), { ...question, content: 'Sure?' }];
    expect(conversationOf(input, undefined, STORED)).toEqual([
      { item: question, at: 'input[0]' },
      { item: thought, at: 'input[1]' },
      { item: answer, at: 'input[2]' },
      { item: { ...question, content: 'Sure?' }, at: 'input[3]' },
    ]);
  });

  it('bring the whole conversation before the input', () => {
    const whole = conversationOf('Sure?', `resp_${FIRST}`, STORED);
    expect(whole.map(({ item }) => item)).toEqual([question, thought, answer, { ...question, content: 'Sure?' }]);
    expect(whole.map(({ at }) => at)).toEqual([...Array<string>(3).fill('previous_response_id'), 'input[0]']);
  });

  it('to lost reasoning are left out', () => {
    for (const stored of [undefined, STORED])
      expect(conversationOf([question, reference(`rs_${OTHER}_0`)], undefined, stored)).toHaveLength(1);
  });

  it('to anything else are refused in words for the client', () => {
    const off = faultOf([question, reference('msg_1')]);
    expect(off).toMatchObject({ code: 'invalid_value', param: 'input[1].id', facts: { error_code: 'item_not_found' } });
    expect(off.message).toMatch(
      /this deployment keeps no answers\. Send the item itself \(AI SDK: providerOptions\.openai\.store = false\)/,
    );
    for (const id of ['msg_1', `msg_${OTHER}_0`, `msg_${FIRST}_9`]) {
      expect(faultOf([reference(id)], undefined, STORED).message).toMatch(/answers are stored for an hour here.*AI SDK/);
    }
    for (const [id, stored] of [
      ['resp_1', STORED],
      [`resp_${OTHER}`, STORED],
      [`resp_${FIRST}`, undefined],
    ] as const) {
      expect(faultOf('x', id, stored)).toMatchObject({
        param: 'previous_response_id',
        facts: { error_code: 'previous_response_not_found' },
      });
    }
    const half = new Map([...STORED].filter(([name]) => name.endsWith('.o')));
    expect(faultOf('x', `resp_${FIRST}`, half).message).toMatch(/not found/);
  });

  it('bring no more items than a request may have', () => {
    const long = Array<InputItem>(2_048).fill(question);
    expect(faultOf(long, `resp_${FIRST}`, STORED)).toMatchObject({ code: 'array_above_max_length', param: 'previous_response_id' });
  });

  it('find items again as they were stored', () => {
    const items = [question, { ...question, content: 'two\nlines' }];
    const text = storedConversation(conversationOf(items, undefined, undefined));
    expect(itemTexts(bytes(text)).map((one) => JSON.parse(one) as unknown)).toEqual(items);
  });
});
