/** Longest value that stays on one line, in characters. */
const LINE_MAX = 72;

interface Dialect {
  readonly text: (value: string) => string;
  readonly words: Readonly<Record<string, string>>;
  readonly name: (key: string) => string;
  readonly indent: string;
}

const PYTHON: Dialect = {
  text: (value) => JSON.stringify(value),
  words: { null: 'None', true: 'True', false: 'False' },
  name: (key) => JSON.stringify(key),
  indent: '    ',
};

const QUOTED = (value: string): string => `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

const TYPESCRIPT: Dialect = {
  text: QUOTED,
  words: {},
  name: (key) => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : QUOTED(key)),
  indent: '  ',
};

function write(value: unknown, dialect: Dialect, level: number): string {
  if (typeof value === 'string') return dialect.text(value);
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean' || value === null) return dialect.words[String(value)] ?? String(value);
  const [open, close, items] = Array.isArray(value)
    ? ['[', ']', value.map((item: unknown) => write(item, dialect, level + 1))]
    : ['{', '}', Object.entries(value as object).map(([key, item]) => `${dialect.name(key)}: ${write(item, dialect, level + 1)}`)];
  if (items.length === 0) return `${open}${close}`;
  const line = items.join(', ');
  const room = dialect === TYPESCRIPT && open === '{' ? ' ' : '';
  if (line.length <= LINE_MAX && !line.includes('\n')) return `${open}${room}${line}${room}${close}`;
  const inner = dialect.indent.repeat(level + 1);
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${dialect.indent.repeat(level)}${close}`;
}

/** JSON as Python writes it. @param level how deep it stands */
export const pythonLiteral = (value: unknown, level = 0): string => write(value, PYTHON, level);

/** JSON as TypeScript writes it, single quotes. @param level how deep it stands */
export const typescriptLiteral = (value: unknown, level = 0): string => write(value, TYPESCRIPT, level);

/** A text as one word of a POSIX shell. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
