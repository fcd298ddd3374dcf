import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { processMemory } from './process-memory.js';

it.skipIf(process.platform !== 'linux')('a process holds what its children hold', async () => {
  const script = 'globalThis.held = Buffer.alloc(128 * 1024 * 1024, 1); process.stdout.write("held"); setInterval(() => undefined, 1_000);';
  const before = processMemory(process.pid);
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    await once(child.stdout, 'data');
    expect(processMemory(process.pid) - before).toBeGreaterThan(96 * 2 ** 20);
  } finally {
    child.kill('SIGKILL');
  }
});
