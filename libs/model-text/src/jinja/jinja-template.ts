import { nodesOf } from './nodes.js';
import { Scope } from './scope.js';
import { compileBlock } from './statements.js';
import { timeText } from './time-text.js';
import {
  argument,
  type Arguments,
  Callable,
  fromJson,
  isDict,
  itemsOf,
  Namespace,
  numberOf,
  TemplateError,
  textOf,
  type Value,
} from './values.js';

/** Longest range, as in Jinja2's sandbox. */
const LONGEST_RANGE = 100_000;

function range({ positional }: Arguments): Value {
  const numbers = positional.map((value) => numberOf(value));
  if (numbers.length === 0 || numbers.some((each) => each === null || !Number.isInteger(each)))
    throw new TemplateError('range takes whole numbers');
  const [first = 0, second, step = 1] = numbers as number[];
  const [from, to] = second === undefined ? [0, first] : [first, second];
  if (step === 0) throw new TemplateError('range() arg 3 must not be zero');
  const length = Math.max(0, Math.ceil((to - from) / step));
  if (length > LONGEST_RANGE) throw new TemplateError(`Range too big. The sandbox blocks ranges larger than ${LONGEST_RANGE}.`);
  return Array.from({ length }, (_, i) => from + i * step);
}

/** Members of a dict, or pairs, and named ones. */
function membersOf({ positional: [source], named }: Arguments): Map<Value, Value> {
  if (source !== undefined && isDict(source)) return new Map([...source, ...named]);
  const pairs = Array.from(itemsOf(source ?? []), (pair) => [...itemsOf(pair)] as [Value, Value]);
  return new Map([...pairs, ...named]);
}

const globals = (now: () => Date): readonly Callable[] => [
  new Callable('range', range),
  new Callable('dict', membersOf),
  new Callable('namespace', (args) => new Namespace(new Map(Array.from(membersOf(args), ([key, value]) => [textOf(key), value])))),
  new Callable('raise_exception', (args) => {
    throw new TemplateError(textOf(argument(args, 0, 'message') ?? ''));
  }),
  new Callable('strftime_now', (args) => timeText(now(), textOf(argument(args, 0, 'format') ?? ''))),
];

const CONSTANTS: readonly (readonly [string, Value])[] = [
  ...(['true', 'True'] as const).map((name) => [name, true] as const),
  ...(['false', 'False'] as const).map((name) => [name, false] as const),
  ...(['none', 'None'] as const).map((name) => [name, null] as const),
];

/**
 * A chat template that renders like Python's Jinja2 in the transformers library: in the immutable sandbox, with
 * `trim_blocks`, `lstrip_blocks`, loop controls, `tojson` without escapes for HTML, `raise_exception` and `strftime_now`.
 */
export class JinjaTemplate {
  readonly #run: ReturnType<typeof compileBlock>;
  readonly #globals: readonly Callable[];

  /** @throws Error for a template that cannot be parsed. */
  constructor(source: string, now: () => Date = () => new Date()) {
    this.#run = compileBlock(nodesOf(source));
    this.#globals = globals(now);
  }

  /**
   * @param variables JSON values; undefined ones count as absent.
   * @throws TemplateError where Jinja2 raises an exception.
   */
  render(variables: Readonly<Record<string, unknown>>): string {
    const scope = new Scope();
    for (const each of this.#globals) scope.set(each.title, each);
    for (const [name, value] of Object.entries(variables)) if (value !== undefined) scope.set(name, fromJson(value));
    for (const [name, value] of CONSTANTS) scope.set(name, value);
    const out: string[] = [];
    this.#run(new Scope(scope), out);
    return out.join('');
  }
}
