import type { CallFamily, ToolRule } from './call-family.js';
import { callObjectRule, type CallKeys, readBehind, readCallObject } from './call-objects.js';
import { FREE_SPACE, placeRule } from './free-answer.js';
import { gbnfText } from './gbnf-text.js';

const TAG = '<|python_tag|>';
const BETWEEN = /^[\s;]$/;
const KEYS: CallKeys = { name: ['name'], args: ['parameters', 'arguments'], id: ['id'] };

/**
 * `{"name": …, "parameters": {…}}` as the whole answer: Llama 3.1 to 3.3. Calls have no mark: an object that names an
 * offered tool is a call.
 */
export const LLAMA_JSON: CallFamily = {
  name: 'llama-json',
  marks: [TAG],
  head: '',
  framesText: false,
  knows: (template) =>
    /"parameters":/.test(template) && /"name":/.test(template) && /<\|start_header_id\|>|<\|header_start\|>/.test(template),
  *read(text, sink) {
    for (;;) {
      const outcome = yield* readBehind(text, sink, '', function* (calls) {
        while (BETWEEN.test(yield* text.peek())) yield* text.next();
        yield* text.literal(TAG);
        yield* text.skipSpace();
        return yield* readCallObject(text, calls, KEYS);
      });
      if (outcome === 'broken') return;
      if (outcome === 'none') break;
    }
    yield* text.until([], (piece) => sink.text(piece));
  },
  form: { open: '', rest: (tools) => callObjectRule(tools, KEYS), free, mayEscape: true, again: null, style: 'object', rules: '' },
};

/** Rules of a free answer: states on the way to a call; any other text leads to free text. */
class FreePlaces {
  readonly #rules: string[] = [];

  get text(): string {
    return this.#rules.join('');
  }

  /** White space and one of these characters. */
  gap(name: string, edges: Readonly<Record<string, string>>, space = ' \t\n\r'): void {
    this.#place(name, new Map([...Array.from(space, (char) => [char, name] as const), ...Object.entries(edges)]));
  }

  /** One of these texts, none of which is a prefix of another. */
  words(name: string, targets: ReadonlyMap<string, string>): void {
    const edges = new Map<string, string>();
    for (const first of new Set(Array.from(targets.keys(), ([char = '']) => char))) {
      const rests = new Map([...targets].filter(([word]) => word.startsWith(first)).map(([word, to]) => [word.slice(first.length), to]));
      const to = rests.get('') ?? `${name}-${edges.size}`;
      edges.set(first, to);
      if (!rests.has('')) this.words(to, rests);
    }
    this.#place(name, edges);
  }

  #place(name: string, edges: ReadonlyMap<string, string>): void {
    this.#rules.push(placeRule(name, edges, 'free-text'));
  }
}

/** After an object at the beginning has named a tool, its arguments follow the tool's schema. */
function free(tools: readonly ToolRule[]): string {
  const places = new FreePlaces();
  places.gap('free', { '<': 'free-tag', '{': 'free-open' }, ' \t\n\r;');
  places.words('free-tag', new Map([[TAG.slice(1), 'free-tagged']]));
  places.gap('free-tagged', { '{': 'free-open' });
  places.gap('free-open', { '"': 'free-key' });
  places.words(
    'free-key',
    new Map([
      ['name"', 'free-name'],
      ['type"', 'free-type'],
    ]),
  );
  places.gap('free-type', { ':': 'free-type-value' });
  places.gap('free-type-value', { '"': 'free-function' });
  places.words('free-function', new Map([['function"', 'free-typed']]));
  places.gap('free-typed', { ',': 'free-second' });
  places.gap('free-second', { '"': 'free-second-key' });
  places.words('free-second-key', new Map([['name"', 'free-name']]));
  places.gap('free-name', { ':': 'free-name-value' });
  places.gap('free-name-value', { '"': 'free-tool' });
  places.words('free-tool', new Map(tools.map(({ tool }, i) => [JSON.stringify(tool.name).slice(1), `free-call-${i}`])));
  const calls = tools.map(({ args }, i) => `free-call-${i} ::= free-args ${args} free-space ${gbnfText('}')} free\n`);
  const key = KEYS.args.map((name) => gbnfText(JSON.stringify(name))).join(' | ');
  return `${places.text}${calls.join('')}free-args ::= free-space "," free-space (${key}) free-space ":" free-space
free-text ::= .*
${FREE_SPACE}`;
}
