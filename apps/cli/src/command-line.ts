import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from './cli-errors.js';
import { COMMON_OPTIONS, type Command, type Group, type OptionSpecs, isGroup } from './command.js';
import { OptionValues } from './option-values.js';

/** A command or group with the names that lead to it. */
export interface Place {
  readonly path: readonly string[];
  readonly node: Command | Group;
}

/** What a command line asks for. */
export interface CommandLine extends Place {
  readonly node: Command;
  readonly options: OptionValues;
  readonly words: ReadonlyMap<string, string>;
  readonly more: readonly string[];
}

type ParseOptions = NonNullable<ParseArgsConfig['options']>;

const toParseOptions = (specs: OptionSpecs): ParseOptions =>
  Object.fromEntries(
    Object.entries(specs).map(([name, { value, short }]) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short !== undefined && { short }) },
    ]),
  );

/** Every option that a command somewhere takes, so that a value is not mistaken for a command's name. */
function allOptions(node: Command | Group): OptionSpecs {
  if (!isGroup(node)) return node.options;
  return Object.assign({}, COMMON_OPTIONS, ...node.commands.map(allOptions)) as OptionSpecs;
}

/** Follows the words of a command line as far as they name something. */
export function locate(root: Group, argv: readonly string[]): { place: Place; help: boolean; stranger: string | undefined } {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: toParseOptions(allOptions(root)),
    strict: false,
    allowPositionals: true,
  });
  let node: Command | Group = root;
  const path: string[] = [];
  let stranger: string | undefined;
  for (const word of positionals) {
    if (!isGroup(node)) break;
    const next: Command | Group | undefined = node.commands.find(({ name }) => name === word);
    if (next === undefined) {
      stranger = word;
      break;
    }
    node = next;
    path.push(word);
  }
  return { place: { node, path }, help: values['help'] === true, stranger };
}

/**
 * Reads the options and words of a command.
 * @throws UsageError in one line
 */
export function readCommandLine({ node, path }: { node: Command; path: readonly string[] }, argv: readonly string[]): CommandLine {
  const { values, positionals } = parse(node, argv);
  const words = positionals.slice(path.length);
  const missing = node.words[words.length];
  if (missing) throw new UsageError(`${missing.name} is missing.`);
  const more = words.slice(node.words.length);
  const [extra] = more;
  if (extra !== undefined && node.more === undefined) throw new UsageError(`"${extra}" is one word too many.`);
  return { node, path, options: new OptionValues(values), words: new Map(node.words.map(({ name }, i) => [name, words[i] ?? ''])), more };
}

function parse(node: Command, argv: readonly string[]): { values: Record<string, string | boolean | undefined>; positionals: string[] } {
  const options = toParseOptions({ ...node.options, ...COMMON_OPTIONS });
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, strict: true, allowPositionals: true });
    return { values: values as Record<string, string | boolean | undefined>, positionals };
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split(/\. |\n/);
    throw new UsageError(line.endsWith('.') ? line : `${line}.`, { cause: error });
  }
}
