import { describe, expect, it } from 'vitest';
import { ControlHandler, type ControlHandlerOptions, readControl } from './control-handler.js';

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

it('every gateway with streams here is told of a move', () => {
  const sent: [string, unknown][] = [];
  const handler = new ControlHandler({
    publisher: { send: (subject: string, json: string) => sent.push([subject, JSON.parse(json)]) },
    table: { gateways: () => ['g1', 'g2'] },
    answers: (gateway: string) => `to.${gateway}`,
  } as unknown as ControlHandlerOptions);
  handler.tellMoves();
  const news = { k: 'ok', gone: [], moves: true };
  expect(sent).toEqual([
    ['to.g1', news],
    ['to.g2', news],
  ]);
});
