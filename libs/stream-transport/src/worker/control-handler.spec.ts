import { describe, expect, it } from 'vitest';
import { readControl } from './control-handler.js';

describe('a control message', () => {
  it('is read when valid', () => {
    expect(readControl('{"k":"ack","v":[["s",1,4,0],["t",2,9,1]]}')).toEqual({
      k: 'ack',
      v: [
        ['s', 1, 4, 0],
        ['t', 2, 9, 1],
      ],
    });
    expect(readControl('{"k":"cancel","st":"s","at":2,"why":"gone","more":1}')).toEqual({ k: 'cancel', st: 's', at: 2, why: 'gone' });
    expect(readControl('{"k":"probe"}')).toEqual({ k: 'probe' });
  });

  it('keeps the valid entries of an acknowledgement', () => {
    expect(readControl('{"k":"ack","v":[["s",1,4,0],null,["t"],[1,2,3,0],["u","1",2,0]]}')).toEqual({ k: 'ack', v: [['s', 1, 4, 0]] });
  });

  it.each([
    '',
    '{',
    'null',
    '7',
    '[]',
    '{}',
    '{"k":"decline","gid":"x"}',
    '{"k":"ack","v":{}}',
    '{"k":"cancel","st":"a.b","at":1,"why":""}',
    '{"k":"replay","st":"s","at":0,"from":1}',
  ])('is none when it says %s', (text) => expect(readControl(text)).toBeNull());
});
