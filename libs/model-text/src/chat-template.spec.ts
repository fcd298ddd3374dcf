import { describe, expect, it } from 'vitest';
import { ChatTemplate, ChatTemplateError } from './chat-template.js';
import type { TemplateMessage } from './template-messages.js';

const TOKENS = { bos: '<s>', eos: '</s>' };
const message = (role: TemplateMessage['role'], content: string): TemplateMessage => ({ role, content });

/** Refuses system messages and turns that do not alternate, as several real templates do. */
const STRICT = `{{ bos_token }}{% for m in messages %}
{%- if m.role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}
{%- if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Conversation roles must alternate') }}{% endif %}
{{- '[' + m.role + ']' + m.content | trim + eos_token }}{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}`;

describe('ChatTemplate', () => {
  it('renders up to the beginning of the answer', () => {
    const template = ChatTemplate.parse(STRICT, TOKENS);
    expect(template.render({ messages: [message('user', ' Hi ')] })).toBe('<s>[user]Hi</s>[assistant]');
    expect(template.ends).toEqual([]);
  });

  it('moves system text into the first user turn', () => {
    const template = ChatTemplate.parse(STRICT, TOKENS);
    const rendered = template.render({ messages: [message('system', 'Be brief.'), message('user', 'Hi')] });
    expect(rendered).toBe('<s>[user]Be brief.\n\nHi</s>[assistant]');
  });

  it('joins turns of one role', () => {
    const template = ChatTemplate.parse(STRICT, TOKENS);
    const rendered = template.render({
      messages: [message('user', 'a'), message('user', 'b'), message('assistant', 'c'), message('user', 'd')],
    });
    expect(rendered).toBe('<s>[user]a\n\nb</s>[assistant]c</s>[user]d</s>[assistant]');
  });

  it('reports why a template refuses a conversation', () => {
    const template = ChatTemplate.parse(STRICT, TOKENS);
    const refusal = expect.objectContaining({
      code: 'invalid_value',
      param: 'messages',
      message: expect.stringContaining('Conversation roles must alternate') as string,
    }) as Error;
    expect(() => template.render({ messages: [message('assistant', 'I speak first')] })).toThrow(refusal);
  });

  it('knows today’s date', () => {
    const template = ChatTemplate.parse("{{ strftime_now('%Y') }}", TOKENS);
    expect(template.render({ messages: [message('user', 'x')] })).toMatch(/^20\d\d$/);
  });

  it('falls back to ChatML without a template', () => {
    const template = ChatTemplate.parse(undefined, TOKENS);
    const rendered = template.render({ messages: [message('system', 'S'), message('user', 'U')] });
    expect(rendered).toBe('<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nU<|im_end|>\n<|im_start|>assistant\n');
    expect(template.ends).toContain('<|im_end|>');
  });

  it('says why a template cannot be parsed', () => {
    expect(() => ChatTemplate.parse('{% for x in %}', TOKENS)).toThrow(ChatTemplateError);
  });
});
