import { describe, expect, it } from 'vitest';
import { ChatTemplate, type TemplateInput } from './chat-template.js';
import type { TemplateMessage } from './template-messages.js';
import { trainingText, UnstableTemplateError } from './training-text.js';

const CHATML = `{%- for m in messages %}{{- '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}`;
/** Drops the reasoning of all answers but the last, as many reasoning models do. */
const FORGETFUL = `{%- for m in messages %}{{- '<|im_start|>' + m.role + '\\n' }}
{%- if m.role == 'assistant' and loop.last %}{{- '<think></think>' }}{%- endif %}{{- m.content + '<|im_end|>\\n' }}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}`;
const ENDS = ['<|im_end|>', '<|endoftext|>'];

const parse = (source: string): ChatTemplate => ChatTemplate.parse(source, { bos: '', eos: '' });
const user = (content: string): TemplateMessage => ({ role: 'user', content });
const assistant = (content: string): TemplateMessage => ({ role: 'assistant', content });
const learnedOf = (source: string, input: TemplateInput, ends = ENDS): string[] => {
  const { text, learned } = trainingText(input, parse(source), ends);
  return learned.map(({ from, to }) => text.slice(from, to));
};

describe('trainingText', () => {
  it('learns an answer with its end mark and nothing after it', () => {
    expect(learnedOf(CHATML, { messages: [user('Hi'), assistant('Hello.')] })).toEqual(['Hello.<|im_end|>']);
  });

  it('learns every answer of a conversation', () => {
    const messages = [user('a'), assistant('b'), user('c'), assistant('d'), user('e')];
    expect(learnedOf(CHATML, { messages })).toEqual(['b<|im_end|>', 'd<|im_end|>']);
  });

  it('begins where serving lets the answer begin', () => {
    const messages = [user('Hi'), assistant('Hello.')];
    const { text, learned } = trainingText({ messages }, parse(CHATML), ENDS);
    expect(text.slice(0, learned[0]?.from)).toBe(parse(CHATML).render({ messages: messages.slice(0, 1) }));
    expect(text.endsWith('Hello.<|im_end|>\n')).toBe(true);
  });

  it('learns the whole turn where the template writes no end mark', () => {
    expect(learnedOf(CHATML, { messages: [user('Hi'), assistant('Hello.')] }, ['</s>'])).toEqual(['Hello.<|im_end|>\n']);
  });

  it('learns what the template puts in front of the last answer', () => {
    expect(learnedOf(FORGETFUL, { messages: [user('Hi'), assistant('Hello.')] })).toEqual(['<think></think>Hello.<|im_end|>']);
  });

  it('refuses a conversation whose turns change when it goes on', () => {
    const messages = [user('a'), assistant('b'), user('c'), assistant('d')];
    expect(() => learnedOf(FORGETFUL, { messages })).toThrow(UnstableTemplateError);
  });
});
