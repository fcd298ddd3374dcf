/** Where the process writes its log: a plain value without a class to inject it by. */
export const LOG = Symbol('log');
