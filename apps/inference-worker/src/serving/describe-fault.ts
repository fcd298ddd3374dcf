/** Where an error came from, for the log. Its message stays out, since it may quote a prompt. */
export function describeFault(error: unknown): { name: string; at: string[] } {
  if (!(error instanceof Error)) return { name: typeof error, at: [] };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return { name: error.name, at: frames.slice(0, 8).map((line) => line.trim()) };
}
