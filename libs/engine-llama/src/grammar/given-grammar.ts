import { ServiceError } from '@slipway/contracts';
import { type EmbeddedRules, type Expr, printRules, type Rules } from './gbnf.js';
import { GbnfReader } from './gbnf-reader.js';
import { faultOf, type GrammarFault } from './grammar-check.js';
import { growsTooFast } from './grammar-growth.js';

const MAX_CHARS = 65_536;
/** Most elements after llama.cpp has expanded repetitions. */
const MAX_PIECES = 200_000;

function pieces(expr: Expr): number {
  switch (expr.kind) {
    case 'text':
      return expr.text.length;
    case 'chars':
      return 2 * expr.set.length;
    case 'rule':
      return 1;
    case 'seq':
    case 'alt':
      return expr.items.reduce((sum, item) => sum + pieces(item) + 1, 0);
    case 'repeat':
      return (pieces(expr.item) + 1) * Math.max(1, expr.max ?? expr.min);
  }
}

function renamed(expr: Expr, prefix: string): Expr {
  switch (expr.kind) {
    case 'rule':
      return { kind: 'rule', name: prefix + expr.name };
    case 'seq':
    case 'alt':
      return { kind: expr.kind, items: expr.items.map((item) => renamed(item, prefix)) };
    case 'repeat':
      return { ...expr, item: renamed(expr.item, prefix) };
    case 'text':
    case 'chars':
      return expr;
  }
}

/**
 * Checks a caller's grammar, because llama.cpp aborts the process, hangs or stops in the middle of an answer for some grammars.
 * Accepts GBNF of at most 64 KiB with a rule `root`, without tokens in angle brackets and without counts above 2,000. llama.cpp may
 * still refuse the result with an exception.
 * @returns the same grammar, its rules renamed with the prefix.
 * @throws ServiceError without `param`: `invalid_value` naming the line or rule, `unsupported_value` for a grammar that is too large
 * or too ambiguous.
 */
export function givenRules(source: string, prefix: string): EmbeddedRules {
  if (source.length > MAX_CHARS) throw new ServiceError('unsupported_value', `The grammar is longer than ${MAX_CHARS} characters.`);
  if (source.includes('\0')) throw new ServiceError('invalid_value', 'The grammar contains a NUL character.');
  const rules = new GbnfReader(source).read();
  if (!rules.has('root')) throw new ServiceError('invalid_value', 'The grammar has no rule "root", with which an answer begins.');
  let size = 0;
  for (const expr of rules.values()) size += pieces(expr);
  if (size > MAX_PIECES) throw new ServiceError('unsupported_value', 'The grammar is too large once its repetitions are written out.');
  assertSound(rules);
  const named = Array.from(rules, ([name, expr]): [string, Expr] => [prefix + name, renamed(expr, prefix)]);
  return { root: `${prefix}root`, rules: printRules(new Map(named)) };
}

function assertSound(rules: Rules): void {
  const fault = faultOf(rules);
  if (fault) throw MESSAGES[fault.kind](fault.rule.slice(0, 60));
  if (growsTooFast(rules, 'root')) {
    throw new ServiceError('unsupported_value', 'The grammar is too ambiguous: some text can be read in more than 1,000 ways at once.');
  }
}

const MESSAGES: Readonly<Record<GrammarFault['kind'], (rule: string) => ServiceError>> = {
  undefined: (rule) => new ServiceError('invalid_value', `The grammar uses the rule "${rule}", which it does not define.`),
  endless: (rule) => new ServiceError('invalid_value', `No text of the grammar's rule "${rule}" ever ends.`),
  'left-recursive': (rule) =>
    new ServiceError('invalid_value', `The grammar's rule "${rule}" begins with itself, or repeats something that may be empty.`),
  ambiguous: (rule) => new ServiceError('unsupported_value', `The grammar's rule "${rule}" can begin in too many ways.`),
};
