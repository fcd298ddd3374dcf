import { describe, expect, it } from 'vitest';
import type { AnsweredCall } from './conversation.js';
import { type Answer, grade, type PlainGrader } from './grade.js';

const said = (text: string, more: Partial<Answer> = {}): Answer => ({ text, calls: [], finish: 'stop', ...more });
const call = (name: string, given: string): AnsweredCall => ({ name, arguments: given });
const passes = (grader: PlainGrader, answer: Answer, reference: Partial<Answer> = {}): boolean =>
  grade(grader, answer, { text: 'Blue Heron', calls: [], ...reference });

describe('a grader passes the right answer and no other', () => {
  it('exact', () => {
    expect([' Blue Heron\n', 'blue heron', 'Blue Heron.'].map((text) => passes({ kind: 'exact' }, said(text)))).toEqual([
      true,
      false,
      false,
    ]);
    expect(passes({ kind: 'exact', ignore_case: true }, said('BLUE HERON'))).toBe(true);
  });

  it('contains', () => {
    expect(['It is Blue Heron.', 'It is Grey Heron.'].map((text) => passes({ kind: 'contains' }, said(text)))).toEqual([true, false]);
    expect(passes({ kind: 'contains', text: 'grey', ignore_case: true }, said('A Grey one'))).toBe(true);
  });

  it('tool call', () => {
    const reference = { calls: [call('time', '{"city":"Oslo","day":1}')] };
    const answers = [
      [call('time', '{"day": 1.0, "city": "Oslo"}')],
      [call('time', '{"city":"Bergen","day":1}')],
      [call('date', '{"city":"Oslo","day":1}')],
      [],
      [call('time', '{"city":"Oslo","day":1}'), call('time', '{}')],
      [call('time', 'no json')],
    ];
    expect(answers.map((calls) => passes({ kind: 'tool_call' }, said('', { calls }), reference))).toEqual([
      ...[true, false, false, false, false, false],
    ]);
  });

  it('degenerate', () => {
    const grader = { kind: 'degenerate' } as const;
    expect(passes(grader, said('Blue Heron.'))).toBe(true);
    expect(passes(grader, said('codededededed'))).toBe(false);
    expect(passes(grader, said('Blue', { finish: 'length' }))).toBe(false);
    expect(passes(grader, said('ha ha ha ha'), { text: 'ha ha ha ha' })).toBe(true);
  });

  it('length', () => {
    expect(['', 'äb', '🦢🦢🦢🦢'].map((text) => passes({ kind: 'length', min: 1, max: 3 }, said(text)))).toEqual([false, true, false]);
  });
});
