/** Repeating cannot help: every status below 500 but these two says so, since some clients would repeat a 409. */
export const isFinal = (status: number): boolean => status < 500 && status !== 408 && status !== 429;
