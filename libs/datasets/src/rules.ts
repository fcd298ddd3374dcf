/** Names of the rules that a number of `CanonicalBatch.warnings` stands for. */
export function rulesOf(warnings: number): string[] {
  throw new Error(`not built: ${warnings}`);
}
