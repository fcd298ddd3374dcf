import { describe, expect, it } from 'vitest';
import { playgroundExample, parseExample, readExample } from './example-text.js';
import { bucketText, lengthMark } from './length-buckets.js';
import { ruleText } from './rule-words.js';
import { freeName, nameFault, nameFrom } from './tuning-name.js';
import { datasetState, reasonOf, stateText } from './version-words.js';

describe('an example', () => {
  it('is learned where the assistant speaks, unless its weight is 0', () => {
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'a', weight: 0 },
      { role: 'assistant', content: null, tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }] },
    ];
    const [part] = readExample(JSON.stringify({ messages })) ?? [];
    expect(part?.messages.map(({ isLearned }) => isLearned)).toEqual([false, false, true]);
    expect(part?.messages[2]).toMatchObject({ content: '', calls: ['f({"a":1})'] });
  });

  it('of a preference has two answers, of which one is learned', () => {
    const input = { messages: [{ role: 'user', content: 'Hi' }] };
    const answer = (content: string) => [{ role: 'assistant', content }];
    const parts = readExample(JSON.stringify({ input, preferred_output: answer('good'), non_preferred_output: answer('bad') }));
    expect(parts?.map(({ title, messages }) => [title, messages[0]?.content, messages[0]?.isLearned])).toEqual([
      [null, 'Hi', false],
      ['Preferred answer', 'good', true],
      ['Rejected answer', 'bad', false],
    ]);
    expect(readExample('{"prompt":"Hi","chosen":"good","rejected":"bad"}')).toHaveLength(3);
  });

  it.each(['', '{"messages":[{"ro', '[]', '1', '{"text":"x"}'])('that is cut or unknown is shown as it is: %s', (json) => {
    expect(readExample(json)).toBeNull();
  });

  it('that a person wrote is one JSON object', () => {
    expect(parseExample('{"messages":[]}')).toEqual({ messages: [] });
    expect(parseExample('[1]')).toBe('An example is one JSON object.');
    expect(parseExample('{')).toMatch(/^This is not JSON: /);
  });

  it('of a playground answer has a system prompt only where there is one', () => {
    expect(playgroundExample({ system: ' ', user: 'u', assistant: 'a' })).toEqual({
      messages: [
        { role: 'user', content: 'u' },
        { role: 'assistant', content: 'a' },
      ],
    });
    expect(playgroundExample({ system: 's', user: 'u', assistant: 'a' })).toHaveProperty('messages.0.role', 'system');
  });
});

describe('a name', () => {
  it.each([
    ['Support Q&A.jsonl.gz', 'support-q-a'],
    ['Žlutý kůň.CSV', 'zluty-kun'],
    ['..train..json', 'train'],
    ['日本', ''],
  ])('is made of the file %s', (file, name) => {
    expect(nameFrom(file)).toBe(name);
  });

  it('is refused before it is sent', () => {
    expect([nameFault('support-v2.1'), nameFault('Support'), nameFault(''), nameFault('x'.repeat(64))]).toEqual([
      null,
      expect.stringContaining('lowercase'),
      'Enter a name.',
      expect.stringContaining('63'),
    ]);
  });

  it('that is taken gets a number', () => {
    expect(freeName('a', ['b'])).toBe('a');
    expect(freeName('a', ['a', 'a-2'])).toBe('a-3');
    expect(freeName('x'.repeat(63), ['x'.repeat(63)])).toHaveLength(60);
  });
});

describe('the state of a version', () => {
  it('says how far the check is', () => {
    expect(stateText({ state: 'validating', progress: 0.417 })).toBe('Checking 41 %');
    expect(stateText({ state: 'ready', progress: 1 })).toBe('Ready');
    expect(datasetState({ head: null }).text).toBe('Empty');
  });

  it('says why a version cannot be used, in the service’s words first', () => {
    expect(reasonOf({ state: 'ready', reason: null, detail: null })).toBeNull();
    expect(reasonOf({ state: 'invalid', reason: 'empty', detail: null })).toBe('The file holds no examples.');
    expect(reasonOf({ state: 'invalid', reason: 'empty', detail: 'Nothing.' })).toBe('Nothing.');
    expect(reasonOf({ state: 'invalid', reason: 'of_next_year', detail: null })).toBe('This version cannot be used.');
  });
});

it('names rules of a later release by their own words', () => {
  expect([ruleText('bad_role'), ruleText('new_rule')]).toEqual(['Unknown role', 'new rule']);
});

describe('lengths', () => {
  const buckets = [
    { upto: 100, examples: 3 },
    { upto: 200, examples: 2 },
    { upto: 400, examples: 1 },
  ];

  it('are named by their bounds', () => {
    expect([0, 1, 2, 3].map((at) => bucketText(buckets, at))).toEqual(['up to 100', '101 to 200', '201 to 400', '']);
  });

  it.each([
    [200, 1.5],
    [300, 2],
    [50, 0],
  ])('have the context of %i tokens where it belongs', (context, at) => {
    expect(lengthMark(buckets, context, 'Context')).toMatchObject([{ at, label: 'Context' }]);
  });

  it('have no context among them where all are shorter', () => {
    expect(lengthMark(buckets, 401, 'Context')).toEqual([]);
  });
});
