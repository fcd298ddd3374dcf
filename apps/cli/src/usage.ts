import type { Place } from './command-line.js';
import { COMMON_OPTIONS, type OptionSpec, isGroup } from './command.js';

const PROGRAM = 'npx slipway';

/** A command as people call it. */
export const callOf = (path: readonly string[]): string => [PROGRAM, ...path].join(' ');

const optionText = ([name, { value, short }]: [string, OptionSpec]): string =>
  `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}   ${right}`).join('\n');
}

/** How a command or group is called. Ends with a line break. */
export function usageOf({ node, path }: Place): string {
  const common = Object.entries(COMMON_OPTIONS).map((entry) => [optionText(entry), entry[1].about] as const);
  if (isGroup(node)) {
    const commands = node.commands.map((one) => [one.name, one.summary] as const);
    return `Usage: ${callOf(path)} COMMAND [options]\n\n${node.summary}\n\nCommands:\n${columns(commands)}\n\nOptions of every command:\n${columns(common)}\n`;
  }
  const named = node.more === undefined ? node.words : [...node.words, { ...node.more, name: `[${node.more.name} …]` }];
  const names = named.map(({ name }) => ` ${name}`).join('');
  const words = named.length === 0 ? '' : `\n${columns(named.map(({ name, about }) => [name, about] as const))}\n`;
  const remark = node.remark === undefined ? '' : `${node.remark}\n`;
  const own = Object.entries(node.options).map((entry) => [optionText(entry), entry[1].about] as const);
  return `Usage: ${callOf(path)}${names} [options]\n\n${node.summary}\n${remark}${words}\nOptions:\n${columns([...own, ...common])}\n`;
}
