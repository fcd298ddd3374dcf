import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Only bounds a failure: the most patient program repeats for two minutes what stays broken. */
const RUN_WITHIN_MS = 240_000;

/** What a program needs beside its arguments. */
export interface Surroundings {
  readonly cwd: string;
  /** All of it: nothing of this machine's environment is passed on. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends it. */
  readonly signal?: AbortSignal | undefined;
}

/** What a program printed, and how it ended: null = by a signal. */
export interface Output {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

/** Runs a program to its end, without input. */
export async function runProgram(program: string, args: readonly string[], { cwd, env, signal }: Surroundings): Promise<Output> {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = (): boolean => child.kill('SIGKILL');
  const timer = setTimeout(end, RUN_WITHIN_MS);
  signal?.addEventListener('abort', end);
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const [exitCode] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  return { ...output, exitCode };
}

/** The lines of JSON in a program's output; all others are for people. */
export const jsonLines = <T>(stdout: string): T[] =>
  stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as T);
