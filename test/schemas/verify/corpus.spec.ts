import { describe, expect, it } from 'vitest';
import { GbnfReader } from '../../../libs/engine-llama/src/grammar/gbnf-reader.js';
import { jsonSchemaRules } from '../../../libs/engine-llama/src/grammar/json-schema-grammar.js';
import { GrammarSampler } from '../../engines/grammar-sampler.js';
import { Random } from '../../engines/random.js';
import { expectedLeftOut, withoutLeftOut } from '../left-out-table.js';
import { FILES, REFUSED, type Schema, validatorOf } from '../recorded-schemas.js';

const SENTENCES = 4;

function expectHeld(file: string, name: string, schema: Schema): void {
  const about = `${file}, ${name}: ${JSON.stringify(schema)}`;
  const made = jsonSchemaRules(schema, '');
  expect(made.leftOut.toSorted(), about).toEqual(expectedLeftOut(schema).toSorted());
  const rules = new GbnfReader(made.rules).read();
  const { isValid, errors } = validatorOf(withoutLeftOut(schema) as Schema);
  for (let seed = 1; seed <= SENTENCES; seed += 1) {
    const written = new GrammarSampler(rules, new Random(seed)).sample('root', seed * 15);
    expect(isValid(JSON.parse(written)), `${about}\nthe grammar writes ${written}\n${JSON.stringify(errors())}`).toBe(true);
  }
}

describe('recorded schemas of libraries and SDKs', () => {
  it.each(FILES)('are enforced as documented: %s', (file, { schemas }) => {
    const held = Object.entries(schemas).filter(([name]) => !REFUSED.has(`${file}: ${name}`));
    expect(held.length).toBeGreaterThan(50);
    for (const [name, schema] of held) expectHeld(file, name, schema);
  });

  it('are refused only if unsatisfiable', () => {
    const all = new Map(
      FILES.flatMap(([file, { schemas }]) => Object.entries(schemas).map(([name, schema]) => [`${file}: ${name}`, schema])),
    );
    for (const [name, reason] of REFUSED) expect(() => jsonSchemaRules(all.get(name), ''), name).toThrow(reason);
  });
});
