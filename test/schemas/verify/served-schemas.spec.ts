import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Stack, startStack } from '../../e2e/stack.js';
import { Random } from '../../engines/random.js';
import { expectedLeftOut, withoutLeftOut } from '../left-out-table.js';
import { FILES, REFUSED, type Schema, validatorOf } from '../recorded-schemas.js';

const COUNT = 60;
/** Beyond it the header is cut. */
const HEADER_MAX = 1_000;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
}, 240_000);
afterAll(() => stack?.stop());

/** Schemas of the corpus, drawn by a seed. Tools take those of objects. */
function drawn(seed: number, isWanted: (schema: Schema) => boolean): (readonly [string, Schema])[] {
  const all = FILES.flatMap(([file, { schemas }]) =>
    Object.entries(schemas).flatMap(([name, schema]) =>
      !REFUSED.has(`${file}: ${name}`) && isWanted(schema) ? [[`${file}: ${name}`, schema] as const] : [],
    ),
  );
  const random = new Random(seed);
  return Array.from({ length: COUNT }, () => all[random.int(0, all.length - 1)]!);
}

interface Completion {
  readonly choices: readonly {
    readonly finish_reason: string;
    readonly message: {
      readonly content: string | null;
      readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[];
    };
  }[];
}

async function complete(form: object): Promise<{ status: number; relaxed: string; answer: Completion; text: string }> {
  const response = await fetch(`${stack.base_url}/${stack.alias}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stack.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: stack.alias.split('/').at(-1),
      messages: [{ role: 'user', content: 'Tell me about Paris.' }],
      max_tokens: 200,
      temperature: 1,
      seed: 7,
      ...form,
    }),
  });
  const text = await response.text();
  const relaxed = response.headers.get('x-slipway-schema-relaxed') ?? '';
  return { status: response.status, relaxed, answer: JSON.parse(text) as Completion, text };
}

const named = (relaxed: string): string[] => relaxed.split(', ').filter((place) => place !== '');

function expectValid(about: string, schema: Schema, written: string): void {
  const { isValid, errors } = validatorOf(withoutLeftOut(schema) as Schema);
  expect(isValid(JSON.parse(written)), `${about}\n${written}\n${JSON.stringify(errors())}`).toBe(true);
}

describe('a recorded schema through gateway and llama.cpp', () => {
  it('constrains answers except for the header’s keywords', async () => {
    let ended = 0;
    for (const [name, schema] of drawn(1, () => true)) {
      const about = `${name}: ${JSON.stringify(schema)}`;
      const form = { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } };
      const { status, relaxed, answer, text } = await complete(form);
      expect(status, `${about}\n${text}`).toBe(200);
      if (relaxed.length < HEADER_MAX) expect(named(relaxed).toSorted(), about).toEqual(expectedLeftOut(schema).toSorted());
      const { finish_reason: finish, message } = answer.choices[0]!;
      if (finish !== 'stop') continue;
      ended += 1;
      expectValid(about, schema, message.content ?? '');
    }
    expect(ended).toBeGreaterThan(COUNT / 3);
  });

  it('constrains calls except for the header’s keywords', async () => {
    let ended = 0;
    for (const [name, schema] of drawn(2, ({ type }) => type === 'object')) {
      const about = `${name}: ${JSON.stringify(schema)}`;
      const tool = { type: 'function', function: { name: 'save', parameters: schema } };
      const { status, relaxed, answer, text } = await complete({ tools: [tool], tool_choice: 'required' });
      expect(status, `${about}\n${text}`).toBe(200);
      const expected = expectedLeftOut(schema).map((place) => `save:${place}`);
      if (relaxed.length < HEADER_MAX) expect(named(relaxed).toSorted(), about).toEqual(expected.toSorted());
      const { finish_reason: finish, message } = answer.choices[0]!;
      if (finish !== 'tool_calls') continue;
      ended += 1;
      expectValid(about, schema, message.tool_calls?.[0]?.function.arguments ?? '');
    }
    expect(ended).toBeGreaterThan(COUNT / 3);
  });
});
