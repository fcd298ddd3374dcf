import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { CliError } from '../cli-errors.js';

/** Part of the training worker: only it knows how trainers are installed and run. */
const TOOL = fileURLToPath(new URL('../../../training-worker/dist/tool/main.js', import.meta.url));

/** What the tool says, one JSON object a line. */
const Line = z.union([
  z.object({ check: z.string(), passed: z.boolean(), detail: z.string() }),
  z.object({ installed: z.string(), version: z.string().nullable(), already: z.boolean() }),
  z.object({ progress: z.string() }),
  z.object({ failed: z.string(), message: z.string() }),
]);
export type ToolLine = z.infer<typeof Line>;

/**
 * Runs the training worker's tool and hands on what it says.
 * @throws CliError with what failed, and `unavailable` where the worker is not built here
 */
export async function* runTool(args: readonly string[]): AsyncGenerator<Exclude<ToolLine, { failed: string }>> {
  if (!existsSync(TOOL)) throw new CliError('unavailable', 'The training worker is not built here: npm run build does it.');
  const tool = spawn(process.execPath, [TOOL, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(tool, 'close');
  try {
    for await (const text of createInterface({ input: tool.stdout })) {
      const line = Line.parse(JSON.parse(text));
      if ('failed' in line) throw new CliError(line.failed, line.message);
      yield line;
    }
    const [code, signal] = (await ended) as [number | null, string | null];
    if (code !== 0) throw new CliError('trainer_failed', `The training worker's tool ended with ${signal ?? `code ${code}`}.`);
  } finally {
    tool.kill();
  }
}
