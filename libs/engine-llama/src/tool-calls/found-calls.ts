/** Content found by a reader. */
export type Found = { text: string } | { broken: true } | { call: string; id?: string; args: string; whole: boolean };

/** A test answer. The title begins with the family's name. */
export type Case = readonly [title: string, answer: string, found: Found[]];

export const text = (value: string): Found => ({ text: value });
export const call = (name: string, args: string, id?: string): Found => ({
  call: name,
  ...(id !== undefined && { id }),
  args,
  whole: true,
});
export const PARIS = '{"city": "Paris \\"é😀\\"", "days": 3}';
