import { isServiceError, ServiceError, type Tool } from '@slipway/contracts';
import { CompileBudget, type GrammarSize } from './grammar/compile-budget.js';
import { isBesidePattern, isCostly, isNothing, type Trim } from './schema-trim.js';
import type { ArgumentStyle, CallFamily } from './tool-calls/call-family.js';
import { gbnfText } from './tool-calls/gbnf-text.js';
import { anyCall, type CompiledTool, compileTool } from './tool-rules.js';

/** Assertions of a tool's schema that are not enforced. */
export interface ToolLeftOut {
  readonly tool: string;
  /** JSON pointers into its schema; `/` = all of it. */
  readonly places: readonly string[];
}

/** GBNF of the calls of some tools. */
export interface ToolGrammar {
  /** Expression of an answer of calls alone. */
  readonly whole: string;
  /** Rules that it refers to. */
  readonly rules: string;
  /** Rules of an answer that is free except for its calls; the root is `free`. */
  readonly free: () => string;
  /** Assertions that are not enforced, by tool. */
  readonly leftOut: readonly ToolLeftOut[];
}

/** Options of a tool grammar. */
export interface ToolGrammarOptions {
  /** Whether an answer may have several calls. */
  readonly many: boolean;
  /** Budget of all grammars of the request. */
  readonly budget?: CompileBudget;
}

/**
 * The grammar of calls in a family's format. Arguments follow the schemas of their tools. Where the budget is too small, a schema
 * loses lengths beside patterns first, then patterns, then everything; strict tools lose nothing.
 * @throws ServiceError naming the tool whose schema is invalid, or strict and too large.
 */
export function toolGrammar(
  tools: readonly Tool[],
  family: CallFamily,
  { many, budget = new CompileBudget() }: ToolGrammarOptions,
): ToolGrammar {
  const { open, rest, free, again, rules, style } = family.form;
  const made = new ToolSet(tools, style, budget).compile();
  const held = made.map(({ rule }) => rule);
  const texts = new Map(made.flatMap((each) => [...each.texts]));
  const common = `${rules}${[...texts.values()].join('')}`;
  const head = open === '' ? '' : `${gbnfText(open)} `;
  const more = many && again !== null ? ` (${gbnfText(again + open)} calls)*` : '';
  return {
    whole: `${head}calls${more}`,
    rules: `${common}calls ::= ${rest(held, many)}\n`,
    free: () => `${common}${free(held, many)}`,
    leftOut: made.flatMap(({ rule, leftOut }) => (leftOut.length > 0 ? [{ tool: rule.tool.name, places: leftOut }] : [])),
  };
}

interface Sized extends CompiledTool {
  readonly size: GrammarSize;
}

/** The tools of one request, compiled within one budget. */
class ToolSet {
  readonly #made: CompiledTool[];

  constructor(
    private readonly tools: readonly Tool[],
    private readonly style: ArgumentStyle,
    private readonly budget: CompileBudget,
  ) {
    this.#made = tools.map((tool) => anyCall(tool, style));
  }

  compile(): readonly CompiledTool[] {
    // Strict tools first: they must be enforced, while the others may lose parts.
    for (const [i, tool] of this.#which(true)) this.#keep(i, this.#strict(tool, i), this.budget);
    const others = this.#which(false);
    const room = this.budget.part();
    const whole = others.map(([i, tool]) => this.#keep(i, this.#attempt(tool, i, isNothing, room), room));
    if (whole.includes(null)) this.#shrink(others, whole);
    return this.#made;
  }

  /** Reserves room for the shape of each schema, then for as many complete ones as possible, then for patterns. */
  #shrink(others: readonly (readonly [number, Tool])[], whole: readonly (Sized | null)[]): void {
    this.budget.extend();
    const room = this.budget.part();
    const shapes = others.map(([i, tool]) => {
      this.#made[i] = anyCall(tool, this.style);
      return this.#keep(i, this.#attempt(tool, i, isCostly, this.budget), room);
    });
    const held = others.map(([i], at) => this.#keep(i, whole[at] ?? null, room, shapes[at]?.size));
    for (const [at, [i, tool]] of others.entries()) {
      if (!held[at]) this.#keep(i, this.#attempt(tool, i, isBesidePattern, this.budget), room, shapes[at]?.size);
    }
  }

  #which(strict: boolean): readonly (readonly [number, Tool])[] {
    return [...this.tools.entries()].filter(([, tool]) => (tool.strict === true) === strict);
  }

  /** @param instead the grammar that it replaces. @returns null where there is no room. */
  #keep(index: number, made: Sized | null, room: CompileBudget, instead: GrammarSize = { rules: 0, chars: 0 }): Sized | null {
    if (!made || !room.keep({ rules: made.size.rules - instead.rules, chars: made.size.chars - instead.chars })) return null;
    this.#made[index] = made;
    return made;
  }

  #strict(tool: Tool, index: number): Sized {
    try {
      return this.#sized(tool, index, isNothing, this.budget);
    } catch (error) {
      throw isServiceError(error) ? naming(tool, index, error) : error;
    }
  }

  /** @returns null for a schema that is too large. @throws ServiceError for an invalid one. */
  #attempt(tool: Tool, index: number, goes: Trim, room: CompileBudget): Sized | null {
    try {
      return this.#sized(tool, index, goes, room);
    } catch (error) {
      if (!isServiceError(error)) throw error;
      if (error.code === 'invalid_value') throw naming(tool, index, error);
      return null;
    }
  }

  #sized(tool: Tool, index: number, goes: Trim, room: CompileBudget): Sized {
    const budget = room.part();
    return { ...compileTool(tool, { style: this.style, goes, budget, prefix: `tool-${index}` }), size: budget.size };
  }
}

function naming(tool: Tool, index: number, { code, message, cause }: ServiceError): ServiceError {
  const param = `tools[${index}].function.parameters`;
  return new ServiceError(code, `The parameters of the tool ${JSON.stringify(tool.name)} cannot be enforced: ${message}`, { param, cause });
}
