import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { JinjaTemplate, TemplateError } from '@slipway/model-text';
import { bundledTemplates } from '../templates/bundled-templates.js';
import recorded from '../templates/conversations.json' with { type: 'json' };
import digests from '../templates/digests.json' with { type: 'json' };
import snippets from '../templates/snippets.json' with { type: 'json' };

type Variables = Readonly<Record<string, unknown>>;

/** The moment at which the answers were recorded. */
const now = (): Date => new Date(2026, 1, 3, 4, 5, 6);

/** What a template renders; null = it refuses. Any other failure is one of ours. */
function rendered(template: JinjaTemplate, variables: Variables): string | null {
  try {
    return template.render(variables);
  } catch (error) {
    expect(error).toBeInstanceOf(TemplateError);
    return null;
  }
}

/** The variants of a conversation in the order of record.py. */
function variantsOf({ messages, tools, args }: { messages: unknown; tools?: boolean; args?: Variables }): Variables[] {
  return [true, false].flatMap((prompt) =>
    [undefined, true, false].map((thinking) => ({
      ...args,
      messages,
      ...(tools && { tools: recorded.tools }),
      ...(thinking !== undefined && { enable_thinking: thinking, thinking }),
      add_generation_prompt: prompt,
      bos_token: '<s>',
      eos_token: '</s>',
    })),
  );
}

const digest = (texts: readonly (string | null)[]): string => createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16);

describe('a construct of Jinja2', () => {
  it.each(snippets)('$template renders as in Python', ({ template, variables = {}, output }) => {
    expect(rendered(new JinjaTemplate(template, now), variables)).toBe(output);
  });
});

describe('a chat template that llama.cpp ships', () => {
  let templates: ReadonlyMap<string, string>;
  beforeAll(() => {
    templates = bundledTemplates();
  });

  it('has recorded answers for each conversation', () => {
    expect([...templates.keys()]).toEqual(Object.keys(digests));
    const names = Object.keys(recorded.conversations);
    for (const answers of Object.values(digests)) expect(Object.keys(answers)).toEqual(names);
  });

  it.each(Object.entries(digests))('%s renders as in Python', (name, answers) => {
    const template = new JinjaTemplate(templates.get(name) ?? '', now);
    const found = Object.entries(recorded.conversations).map(([title, conversation]) => {
      return [title, digest(variantsOf(conversation as Parameters<typeof variantsOf>[0]).map((each) => rendered(template, each)))];
    });
    expect(Object.fromEntries(found)).toEqual(answers);
  });
});
