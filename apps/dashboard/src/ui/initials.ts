const firstOf = (word = ''): string => (word === '' ? '' : String.fromCodePoint(word.codePointAt(0) ?? 0));

/** One or two capital letters for a name or an email address; `?` for an empty one. */
export function initialsOf(name: string): string {
  const [local = ''] = name.trim().split('@');
  const words = local.split(/[\s._+-]+/).filter((word) => word !== '');
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map(firstOf).join('');
  return letters.toUpperCase() || '?';
}
