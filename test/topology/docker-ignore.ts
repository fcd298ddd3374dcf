import { readFileSync } from 'node:fs';

interface Rule {
  readonly pattern: RegExp;
  readonly keeps: boolean;
}

/** `**` matches any number of folders, `*` within one folder; a match includes everything below. */
function toRule(line: string): Rule {
  const keeps = line.startsWith('!');
  const body = (keeps ? line.slice(1) : line)
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('**/', '\u0000')
    .replaceAll('*', '[^/]*')
    .replaceAll('\u0000', '(?:.*/)?');
  return { keeps, pattern: new RegExp(`^${body}(/|$)`) };
}

/** Whether a `.dockerignore` includes a path in the build context; the last matching rule decides. */
export interface BuildContext {
  includes(path: string): boolean;
  /** False when nothing below this folder is included. */
  mayHold(folder: string): boolean;
}

export function readDockerIgnore(path: string): BuildContext {
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const rules = lines.map(toRule);
  const includes = (file: string): boolean => rules.findLast(({ pattern }) => pattern.test(file))?.keeps ?? true;
  return { includes, mayHold: (folder) => includes(folder) || lines.some((line) => line.startsWith(`!${folder}/`)) };
}
