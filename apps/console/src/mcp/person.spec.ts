import { CLIENT_CAPABILITIES_META_KEY, type ServerContext } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { asking, personBehind, PersonMustAnswer } from './person.js';

const QUESTION = 'Serve support@2?';
const keyOf = (question: string): string => Object.keys(asking(new PersonMustAnswer(question)).inputRequests ?? {})[0]!;
const given = (elicitation: unknown, inputResponses?: Record<string, unknown>) =>
  personBehind({ mcpReq: { envelope: { [CLIENT_CAPABILITIES_META_KEY]: { elicitation } }, inputResponses } } as unknown as ServerContext);

describe('a person behind an agent', () => {
  it('is asked where the client has forms', () => {
    expect(given({})?.answerTo(QUESTION)).toBeNull();
    expect(given({ form: {} })?.answerTo(QUESTION)).toBeNull();
    expect([given({ url: {} }), given(undefined), given('yes'), personBehind({ mcpReq: {} } as ServerContext)]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  it.each<[string, unknown, 'yes' | 'no' | null]>([
    ['accepted', { action: 'accept', content: { agree: true } }, 'yes'],
    ['accepted without agreeing', { action: 'accept', content: { agree: false } }, 'no'],
    ['accepted with a text', { action: 'accept', content: { agree: 'true' } }, 'no'],
    ['declined', { action: 'decline' }, 'no'],
    ['cancelled', { action: 'cancel', content: { agree: true } }, 'no'],
    ['answered with something else', 'yes', null],
  ])('has %s', (_, answer, expected) => {
    expect(given({}, { [keyOf(QUESTION)]: answer })?.answerTo(QUESTION)).toBe(expected);
  });

  it('answers these words alone', () => {
    const yes = { action: 'accept', content: { agree: true } };
    expect(given({}, { [keyOf('Serve support@1?')]: yes })?.answerTo(QUESTION)).toBeNull();
  });
});
