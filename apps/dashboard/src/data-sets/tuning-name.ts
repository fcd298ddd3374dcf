const NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** What is wrong with the name of a data set, job or adapter; null = it is good. */
export function nameFault(name: string): string | null {
  if (name === '') return 'Enter a name.';
  return NAME.test(name) ? null : 'Use 1 to 63 lowercase letters, digits, dots, hyphens and underscores; begin with a letter or digit.';
}

/** A name made of any text, such as that of a file: `Support Q&A.jsonl` becomes `support-q-a`. */
export function nameFrom(text: string): string {
  const plain = text
    .replace(/(?:\.(?:jsonl?|ndjson|csv|txt|gz))+$/i, '')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 63)
    .replace(/[-._]+$/, '');
  return plain;
}

/** The first of `name`, `name-2`, `name-3`, … that is not taken. */
export function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  for (let n = 2; ; n += 1) {
    const next = `${name.slice(0, 58)}-${n}`;
    if (!taken.includes(next)) return next;
  }
}
