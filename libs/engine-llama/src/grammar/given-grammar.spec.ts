import { isServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { GbnfReader } from './gbnf-reader.js';
import { givenRules } from './given-grammar.js';
import { GrammarWalk } from './grammar-walk.js';

const accepts = (grammar: string, text: string): boolean =>
  new GrammarWalk(new GbnfReader(givenRules(grammar, '').rules).read(), 'root').accepts(text);

function refusal(grammar: string): { code: string; message: string } {
  try {
    givenRules(grammar, '');
  } catch (error) {
    if (isServiceError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error(`The grammar was taken: ${grammar}`);
}

describe("a caller's grammar", () => {
  it.each([
    ['root ::= "yes" | "no"', ['yes', 'no'], ['', 'maybe', 'yesno']],
    ['root ::= [a-c]+ # letters\n\n', ['abc'], ['', 'd']],
    ['root ::= (\n  "a" |\n  "b"\n) "c"', ['ac', 'bc'], ['c']],
    ['root ::= "(" root ")" | ""', ['', '(())'], ['(()']],
    ['root ::= item{2,3}\nitem ::= [^\\x41\\]]', ['bc', 'éé😀'], ['b', 'AA', '],']],
    ['root ::= .  "\\"\\u00e9\\U0001F600"', ['x"é😀'], ['"é😀']],
    ['root ::=\n  [-a] [b-]', ['--', 'ab'], ['b-']],
  ])('is read like in llama.cpp: %s', (grammar, taken, refused) => {
    for (const text of taken) expect(accepts(grammar, text), text).toBe(true);
    for (const text of refused) expect(accepts(grammar, text), text).toBe(false);
  });

  it.each([
    ['', 'no rule "root"'],
    ['start ::= "a"', 'no rule "root"'],
    ['root = "a"', 'line 1, "::=" is missing'],
    ['root ::= "a', 'line 1, the end comes too early'],
    ['root ::= "a"\n| "b"', 'line 2, the name of a rule is missing'],
    ['root ::= [a', 'line 1, the end comes too early'],
    ['root ::= []', 'line 1, a class holds no character'],
    ['root ::= [\\x00]', 'line 1, a class holds no character'],
    ['root ::= "\\q"', 'line 1, an escape is not known'],
    ['root ::= ("a"', 'line 1, ")" is missing'],
    ['root ::= "a")', 'line 1, ")" is not expected'],
    ['root ::= *', 'line 1, nothing stands before "*"'],
    ['root ::= ""*', 'line 1, an empty literal is repeated'],
    ['root ::= "a"{3,2}', 'line 1, a count ends below its beginning'],
    ['root ::= "a"{2001}', 'line 1, a count is above 2000'],
    ['root ::= "a"{x}', 'line 1, a count is wrong'],
    ['root ::= <think>', 'line 1, tokens in angle brackets are not supported'],
    ['root ::= "a"\0', 'NUL'],
    [`root ::= ${'('.repeat(100_000)}`, 'longer than 65536'],
    [`root ::= ${'('.repeat(1_000)}"a"${')'.repeat(1_000)}`, 'groups stand inside each other'],
    ['root ::= other', 'uses the rule "other"'],
    ['root ::= "a" root', '"root" ever ends'],
    ['root ::= root "a" | "b"', '"root" begins with itself'],
    ['root ::= b root "x" | "y"\nb ::= c\nc ::= ""', '"root" begins with itself'],
    ['root ::= a*\na ::= b\nb ::= "x" | ""', '"root" begins with itself, or repeats something that may be empty'],
  ])('is refused with a reason: %s', (grammar, reason) => {
    const { code, message } = refusal(grammar);
    expect(message).toContain(reason);
    expect(code).toBe(reason.startsWith('longer') ? 'unsupported_value' : 'invalid_value');
  });

  it.each([
    ['written out', `root ::= ${'"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"{2000} '.repeat(50)}`],
    [
      'in too many ways',
      Array.from({ length: 40 }, (_, i) => `${i === 0 ? 'root' : `r${i}`} ::= r${i + 1} "a" | r${i + 1} "b"\n`).join('') + 'r40 ::= "x"',
    ],
    ['too ambiguous', 'root ::= "a" root "b" | "a" root "c" | "a"'],
    ['too ambiguous', 'root ::= item\nitem ::= "[" list "]"\nlist ::= item "," item | item ";" item | item | "x"'],
  ])('is refused when llama.cpp would hang (%s)', (reason, grammar) => {
    expect(refusal(grammar)).toEqual({ code: 'unsupported_value', message: expect.stringContaining(reason) });
  });
});
