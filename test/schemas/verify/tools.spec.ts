import type { Tool } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { GbnfReader } from '../../../libs/engine-llama/src/grammar/gbnf-reader.js';
import { toolGrammar } from '../../../libs/engine-llama/src/tool-grammar.js';
import { GrammarSampler } from '../../engines/grammar-sampler.js';
import { Random } from '../../engines/random.js';
import { expectedLeftOut, withoutLeftOut, withoutPlaces } from '../left-out-table.js';
import { FILES, REFUSED, type Schema, validatorOf } from '../recorded-schemas.js';
import { argumentsIn, FAMILIES } from '../tool-answers.js';

const SENTENCES = 2;

/** Tools are written in the form of one family after the other. */
function expectKept(file: string, name: string, schema: Schema, turn: number): void {
  const { name: form, family } = FAMILIES[turn % FAMILIES.length]!;
  const tools: Tool[] = [{ name: 'save', parameters: schema, strict: turn % 2 === 0 }];
  const about = `${file}, ${name}, ${form}: ${JSON.stringify(schema)}`;
  const { whole, rules, leftOut } = toolGrammar(tools, family, { many: false });
  const places = leftOut.flatMap((each) => each.places);
  // What is written parameter by parameter leaves out what is said of them together.
  if (family.form.style === 'object') expect(places.toSorted(), about).toEqual(expectedLeftOut(schema).toSorted());
  const { isValid, errors } = validatorOf(withoutLeftOut(withoutPlaces(schema, places)) as Schema);
  const grammar = new GbnfReader(`root ::= ${whole}\n${rules}`).read();
  for (let seed = 1; seed <= SENTENCES; seed += 1) {
    const answer = new GrammarSampler(grammar, new Random(seed)).sample('root', seed * 20);
    const args = argumentsIn(answer, tools, family);
    expect(isValid(args), `${about}\nleft out ${places.join()}\nreads ${JSON.stringify(args)}\n${JSON.stringify(errors())}`).toBe(true);
  }
}

describe('tools whose parameters are schemas that libraries wrote', () => {
  it.each(FILES)('are enforced in calls of every family: %s', (file, { schemas }) => {
    const objects = Object.entries(schemas).filter(([name, { type }]) => type === 'object' && !REFUSED.has(`${file}: ${name}`));
    expect(objects.length).toBeGreaterThan(0);
    for (const [turn, [name, schema]] of objects.entries()) expectKept(file, name, schema, turn);
  });
});
