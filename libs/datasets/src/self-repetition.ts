/** Longest group whose repetition counts, in tokens, words or characters. */
const LONGEST = 8;
const TIMES = 4;
const LETTER = /\p{L}/u;

/** Whether a sequence of tokens repeats one group of at most 8 of them 4 times in a row. */
export function repeatsItself(tokens: readonly number[]): boolean {
  for (let size = 1; size <= LONGEST; size += 1) if (repeatOf(tokens, size) !== null) return true;
  return false;
}

/** Where the 4th repetition of a group of `size` ends; null = there is none. `counts` refuses one that does not count. */
function repeatOf(tokens: readonly (number | string)[], size: number, counts: (end: number) => boolean = () => true): number | null {
  let same = 0;
  for (let i = size; i < tokens.length; i += 1) {
    same = tokens[i] === tokens[i - size] ? same + 1 : 0;
    if (same >= size * (TIMES - 1) && counts(i)) return i;
  }
  return null;
}

/**
 * The same of a text without its tokens: a group of at most 8 words, or of 2 to 8 characters with a letter, 4 times in a row. Rulers,
 * rows of dots and repeated digits are not counted.
 */
export function textRepeatsItself(text: string): boolean {
  const words = text.match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]+/gu) ?? [];
  for (let size = 1; size <= LONGEST; size += 1) {
    if (repeatOf(words, size, (end) => words.slice(end - size + 1, end + 1).some((word) => LETTER.test(word))) !== null) return true;
  }
  const characters = Array.from(text);
  for (let size = 2; size <= LONGEST; size += 1) {
    const isGroup = (end: number): boolean => {
      const group = characters.slice(end - size + 1, end + 1);
      return group.some((one) => LETTER.test(one)) && new Set(group).size > 1;
    };
    if (repeatOf(characters, size, isGroup) !== null) return true;
  }
  return false;
}
