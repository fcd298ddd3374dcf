/** The process's log, under a name that Nest can inject. */
export const LOG = Symbol('log');
