/** What is stored of a response: `o` = the response, `i` = the conversation that it answers. */
export type StoredPart = 'o' | 'i';

/** Stored values by name, in UTF-8. What is not there is absent. */
export type StoredValues = ReadonlyMap<string, Uint8Array>;

/** Name of a value within its deployment. @param stream id of the response's stream */
export const valueName = (stream: string, part: StoredPart): string => `${stream}.${part}`;
