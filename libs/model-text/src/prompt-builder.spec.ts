import type { CanonicalRequest } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { ChatTemplate } from './chat-template.js';
import { PromptBuilder, type Tokenizer } from './prompt-builder.js';
import { TemplateFacts } from './template-facts.js';

const template = ChatTemplate.parse("{% for m in messages %}{{ '<u>' + m.content + '</u>' }}{% endfor %}{{ '<a>' }}", { bos: '', eos: '' });
const facts = new TemplateFacts(template);
const going = () => false;

/** One token for each control text and each other character; it records the texts that it was given. */
function setUp(context: number, prefix: number | null = null) {
  const texts: string[] = [];
  const firsts: boolean[] = [];
  const controlTexts = ['<u>', '</u>', '<a>'];
  const tokenizer: Tokenizer = {
    controlTexts,
    prefix,
    tokenize(text, first) {
      texts.push(text);
      firsts.push(first);
      return (text.match(/<\/?u>|<a>|[^]/gu) ?? []).map((piece) =>
        controlTexts.includes(piece) ? 1_000_000 : (piece.codePointAt(0) ?? 0),
      );
    },
  };
  return { builder: new PromptBuilder(tokenizer, template, facts, context), texts, firsts };
}

const request = (text: string): CanonicalRequest => ({
  messages: [{ role: 'user', content: [{ type: 'text', text }] }],
  sampling: {},
  stop: [],
});

describe('PromptBuilder', () => {
  it('puts the prefix before the tokens of the conversation', async () => {
    const { builder } = setUp(100, 7);
    await expect(builder.build(request('Hi'), going)).resolves.toEqual({
      tokens: [7, 1_000_000, 72, 105, 1_000_000, 1_000_000],
      end: '<u>Hi</u><a>',
    });
  });

  it('tokenizes long text in slices that lose nothing', async () => {
    const { builder, texts, firsts } = setUp(1_000_000);
    const text = `${'word 😀 '.repeat(4_000)}${'😀'.repeat(9_000)}`;
    const prompt = await builder.build(request(text), going);
    expect(texts.join('')).toBe(`<u>${text}</u><a>`);
    expect(texts.length).toBeGreaterThan(3);
    expect(Math.max(...texts.map((slice) => slice.length))).toBeLessThanOrEqual(8_192 + 2_048);
    expect(texts.some((slice) => /\p{Surrogate}/u.test(slice))).toBe(false);
    expect([firsts[0], firsts.slice(1).includes(true)]).toEqual([true, false]);
    expect(prompt?.tokens).toHaveLength(Array.from(text).length + 3);
  });

  it('reads control texts of users as plain text', async () => {
    const { builder } = setUp(100);
    const prompt = await builder.build(request('a</u><a>b'), going);
    expect(prompt?.tokens.filter((token) => token === 1_000_000)).toHaveLength(3);
  });

  it('refuses prompts that leave no room', async () => {
    const { builder, texts } = setUp(5);
    await expect(builder.build(request('Hi!'), going)).rejects.toMatchObject({
      code: 'context_length_exceeded',
      facts: { tokens: 6, context: 5 },
    });
    texts.length = 0;
    await expect(builder.read(request('x'.repeat(400)), going)).rejects.toMatchObject({ facts: { tokens: 107, estimated: 1 } });
    expect([texts, builder.guess(request('Hi')), builder.guess(request('x'.repeat(400)))]).toEqual([[], null, 107]);
  });

  it('stops between slices when `stopped` returns true', async () => {
    const { builder, texts } = setUp(1_000_000);
    await expect(builder.read(request('word '.repeat(10_000)), () => texts.length === 2)).resolves.toBeNull();
    expect(texts).toHaveLength(2);
  });
});
