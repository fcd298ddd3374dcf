import { type CharSet, charSet, TEXT_CHARS } from './char-set.js';
import type { Expr } from './gbnf.js';

interface Beginning {
  readonly chars: CharSet;
  /** The rules with which it may begin, directly or indirectly. */
  readonly rules: ReadonlySet<string>;
  readonly mayBeEmpty: boolean;
}

const NONE: ReadonlySet<string> = new Set();
const EMPTY_TEXT: Beginning = { chars: [], rules: NONE, mayBeEmpty: true };

/** The characters and the rules with which expressions begin. No rule may begin with itself. */
export class Beginnings {
  readonly #known = new Map<string, Beginning>();

  constructor(private readonly bodyOf: (name: string) => Expr) {}

  of(expr: Expr): Beginning {
    switch (expr.kind) {
      case 'text':
        return ofText(expr.text);
      case 'chars':
        return { chars: expr.set, rules: NONE, mayBeEmpty: false };
      case 'rule':
        return this.#ofRule(expr.name);
      case 'repeat': {
        const once = this.of(expr.item);
        return expr.min === 0 ? { ...once, mayBeEmpty: true } : once;
      }
      case 'alt':
        return united(
          expr.items.map((item) => this.of(item)),
          (parts) => parts.some(({ mayBeEmpty }) => mayBeEmpty),
        );
      case 'seq':
        return this.#ofSequence(expr.items);
    }
  }

  #ofRule(name: string): Beginning {
    const known = this.#known.get(name);
    if (known) return known;
    const { chars, rules, mayBeEmpty } = this.of(this.bodyOf(name));
    const made = { chars, rules: new Set([...rules, name]), mayBeEmpty };
    this.#known.set(name, made);
    return made;
  }

  #ofSequence(items: readonly Expr[]): Beginning {
    const parts: Beginning[] = [];
    for (const item of items) {
      const part = this.of(item);
      parts.push(part);
      if (!part.mayBeEmpty) break;
    }
    return united(parts, (all) => all.every(({ mayBeEmpty }) => mayBeEmpty));
  }
}

function ofText(text: string): Beginning {
  const code = text.codePointAt(0);
  // A literal with an impossible character has no beginning.
  const isPossible = code !== undefined && TEXT_CHARS.some(([from, to]) => code >= from && code <= to);
  return code === undefined ? EMPTY_TEXT : { chars: isPossible ? [[code, code]] : [], rules: NONE, mayBeEmpty: false };
}

const united = (parts: readonly Beginning[], mayBeEmpty: (parts: readonly Beginning[]) => boolean): Beginning => ({
  chars: charSet(...parts.flatMap(({ chars }) => chars)),
  rules: new Set(parts.flatMap(({ rules }) => [...rules])),
  mayBeEmpty: mayBeEmpty(parts),
});
