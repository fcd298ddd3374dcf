/** What a reader finds in an answer. */
export type Found = { text: string } | { broken: true } | { call: string; id?: string; args: string; whole: boolean };

/** An answer, its title beginning with the name of a family, and what is found in it. */
export type Case = readonly [title: string, answer: string, found: Found[]];

export const text = (value: string): Found => ({ text: value });
export const call = (name: string, args: string, id?: string): Found => ({
  call: name,
  ...(id !== undefined && { id }),
  args,
  whole: true,
});
export const PARIS = '{"city": "Paris \\"é😀\\"", "days": 3}';
