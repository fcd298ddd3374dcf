/** An expected failure: the launcher prints the message without a stack and exits with 1. */
export class StartError extends Error {
  name = 'StartError';
}
