/** What whoever runs the benchmark can repair: its message is all that they need. */
export class BenchError extends Error {}
