import type { StreamEvent, Tool } from '@slipway/contracts';
import type { Token } from 'node-llama-cpp';
import { describe, expect, it } from 'vitest';
import { makeGrammar } from './answer-grammar.js';
import { AnswerWriter } from './answer-writer.js';
import { GbnfReader } from './grammar/gbnf-reader.js';
import { GrammarWalk } from './grammar/grammar-walk.js';
import { familyNamed } from './tool-calls/detect-family.js';

const TOOLS: readonly Tool[] = [{ name: 'get_time', parameters: { type: 'object', properties: {}, additionalProperties: false } }];

/** Reasoning, text, calls and logprobs of an answer, read one character at a time. */
function partsOf(name: string, answer: string, { opened = false, tools = TOOLS }: { opened?: boolean; tools?: readonly Tool[] } = {}) {
  const family = familyNamed(name);
  const chars = Array.from(answer);
  const events: StreamEvent[] = [];
  const bytes = { of: (token: Token) => Buffer.from(chars[token] ?? '') };
  const spec = {
    stop: [],
    ends: [],
    maxTokens: 10_000,
    reasoning: { marks: family.reasoning!, opened },
    calls: { family, tools, single: false },
  };
  const writer = new AnswerWriter(bytes, spec, 0, (found) => events.push(...found));
  for (const [at, char] of chars.entries()) writer.write(at as Token, { t: char, p: -1 });
  writer.end();
  const joined = (kind: 'think' | 'text' | 'args'): string => events.map((event) => (event.k === kind ? event.x : '')).join('');
  const calls = events.flatMap((event) => (event.k === 'call' ? [event.name] : []));
  const logged = events.flatMap((event) => (event.k === 'text' ? (event.lp ?? []) : []));
  return { think: joined('think'), text: joined('text'), calls, logged: logged.map(({ t }) => t).join('') };
}

describe('an answer with marks around its text', () => {
  it.each([
    [
      'harmony',
      '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>analysis<|message|>So.<|end|><|start|>assistant<|channel|>commentary to=functions.get_time <|constrain|>json<|message|>{}',
      { think: 'Hm.So.', text: 'I look.', calls: ['get_time'] },
    ],
    ['muse', ' to=self<|message|>Hm.<|eom|><|start|>assistant to=user<|message|>Noon.<|eot|>', { think: 'Hm.', text: 'Noon.', calls: [] }],
    ['solar', '<|think|>Hm.<|end|><|begin|>assistant<|content|>Noon.<|end|>', { think: 'Hm.', text: 'Noon.', calls: [] }],
    ['gemma', '<|channel>thought\nHm.<channel|>Noon.<|channel>thought\n<channel|><channel|>', { think: 'Hm.', text: 'Noon.', calls: [] }],
    [
      'kimi-k3',
      '<|open|>think<|sep|>Hm.<|open|>response<|sep|>Noon.<|close|>response<|sep|><|close|>message<|sep|>',
      { think: 'Hm.', text: 'Noon.', calls: [] },
    ],
    [
      'deepseek-v3.2',
      '<think>Hm.\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_time">\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
      { think: 'Hm.', text: '', calls: ['get_time'] },
    ],
    ['apriel', 'Here are my reasoning steps:\nHm.\n[BEGIN FINAL RESPONSE]\nNoon.', { think: 'Hm.', text: 'Noon.', calls: [] }],
  ])('%s splits into reasoning, calls, text and logprobs', (name, answer, expected) => {
    const parts = { ...expected, logged: expected.text };
    expect(partsOf(name, answer)).toEqual(parts);
    if (expected.calls.length === 0) expect(partsOf(name, answer, { tools: [] })).toEqual(parts);
  });

  it('continues reasoning that the prompt began', () => {
    const answer = 'Hm.<|close|>think<|sep|><|open|>response<|sep|>Noon.<|close|>response<|sep|>';
    expect(partsOf('kimi-k3', answer, { opened: true })).toEqual({
      think: 'Hm.',
      text: 'Noon.',
      calls: [],
      logged: 'Noon.',
    });
  });

  it('may begin with a mark before constrained text', () => {
    const output = { kind: 'json_object' as const };
    const { gbnf } = makeGrammar({ output }, familyNamed('harmony'))!;
    const walk = new GrammarWalk(new GbnfReader(gbnf).read(), 'root');
    expect(['{}', '<|channel|>final<|message|>{}', '<|channel|>final{}'].map((answer) => walk.accepts(answer))).toEqual([
      true,
      true,
      false,
    ]);
  });
});
