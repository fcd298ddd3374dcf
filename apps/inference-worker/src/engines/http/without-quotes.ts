/** Shortest run of characters that counts as a quotation: shorter ones are words that anybody uses. */
const RUN = 16;
/** Texts are compared up to this many characters in all; beyond, nothing of the words is kept. */
const COMPARED_CHARS = 1024 * 1024;
const MARK = '…';

/**
 * The words of an engine without what they quote of the texts that it was sent: every run of 16 characters or more that
 * stands in one of them, and every whole text of at least 4, becomes `…`. Engines repeat prompts and credentials in errors,
 * and neither belongs into a log. Empty where the texts are too long to be compared.
 * @param words on one line, a few hundred characters at most
 */
export function withoutQuotes(words: string, texts: Iterable<string>): string {
  const runs = runsOf(words);
  const isQuoted = new Uint8Array(words.length);
  let compared = 0;
  for (const text of texts) {
    compared += text.length;
    if (compared > COMPARED_CHARS) return '';
    const line = text.replace(/\s+/g, ' ').trim();
    if (line.length < RUN) markAll(words, line, isQuoted);
    else markRuns(runs, line, isQuoted);
  }
  return replaced(words, isQuoted);
}

/** Where each run of the words stands. */
function runsOf(words: string): Map<string, number[]> {
  const runs = new Map<string, number[]>();
  for (let i = 0; i + RUN <= words.length; i += 1) {
    const run = words.slice(i, i + RUN);
    const places = runs.get(run);
    if (places) places.push(i);
    else runs.set(run, [i]);
  }
  return runs;
}

function markRuns(runs: ReadonlyMap<string, readonly number[]>, text: string, isQuoted: Uint8Array): void {
  for (let i = 0; i + RUN <= text.length; i += 1) {
    for (const at of runs.get(text.slice(i, i + RUN)) ?? []) isQuoted.fill(1, at, at + RUN);
  }
}

/** A short text is quoted where all of it stands there. */
function markAll(words: string, text: string, isQuoted: Uint8Array): void {
  if (text.length < 4) return;
  for (let at = words.indexOf(text); at >= 0; at = words.indexOf(text, at + 1)) isQuoted.fill(1, at, at + text.length);
}

function replaced(words: string, isQuoted: Uint8Array): string {
  let result = '';
  for (let i = 0; i < words.length; i += 1) {
    if (!isQuoted[i]) result += words[i] ?? '';
    else if (i === 0 || !isQuoted[i - 1]) result += MARK;
  }
  return result;
}
