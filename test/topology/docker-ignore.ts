import { readFileSync } from 'node:fs';

interface Rule {
  readonly pattern: RegExp;
  readonly keeps: boolean;
}

/** `**` is any number of folders, `*` anything within one; a match takes what lies below along. */
function toRule(line: string): Rule {
  const keeps = line.startsWith('!');
  const body = (keeps ? line.slice(1) : line)
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('**/', '\u0000')
    .replaceAll('*', '[^/]*')
    .replaceAll('\u0000', '(?:.*/)?');
  return { keeps, pattern: new RegExp(`^${body}(/|$)`) };
}

/** What a `.dockerignore` lets into the build context; the last rule that fits decides. */
export interface BuildContext {
  includes(path: string): boolean;
  /** False when nothing below this folder is included, so that it need not be read. */
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
