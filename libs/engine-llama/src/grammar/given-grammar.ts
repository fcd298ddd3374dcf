import { ServiceError } from '@slipway/contracts';
import { type EmbeddedRules, type Expr, printRules, type Rules } from './gbnf.js';
import { GbnfReader } from './gbnf-reader.js';
import { faultOf, type GrammarFault } from './grammar-check.js';
import { growsTooFast } from './grammar-growth.js';

const MAX_CHARS = 65_536;
/** Pieces that llama.cpp makes of a grammar; it writes repetitions out. */
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
 * Checks a grammar that a caller wrote, since llama.cpp would abort the process, hang or stop in the middle of an answer for
 * some of what it takes. GBNF of at most 64 KiB with a rule `root`; no tokens in angle brackets, no counts above 2,000.
 * llama.cpp may still refuse to build what passes; that is an exception, not a crash.
 * @returns the same grammar, its rules named with the prefix.
 * @throws ServiceError without `param`: `invalid_value` with the line or the rule that is wrong, `unsupported_value` for what
 * is too large or can be read in too many ways.
 */
export function givenRules(source: string, prefix: string): EmbeddedRules {
  if (source.length > MAX_CHARS) throw new ServiceError('unsupported_value', `The grammar is longer than ${MAX_CHARS} characters.`);
  if (source.includes('\0')) throw new ServiceError('invalid_value', 'The grammar holds a NUL character.');
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
    new ServiceError('invalid_value', `The grammar's rule "${rule}" begins with itself, or repeats what may be empty.`),
  ambiguous: (rule) => new ServiceError('unsupported_value', `The grammar's rule "${rule}" can begin in too many ways.`),
};
