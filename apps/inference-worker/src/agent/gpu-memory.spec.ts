import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@slipway/platform';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Gpus } from './gpu-memory.js';

const MIB = 2 ** 20;

describe('GPUs', () => {
  let folder: string;
  const warn = vi.fn();
  const log = { warn } as unknown as Logger;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-gpu-'));
    warn.mockClear();
    vi.stubEnv('PATH', folder);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  /** A driver's program that prints its arguments beside the answer. */
  function driverSays(answer: string): void {
    const path = join(folder, 'nvidia-smi');
    writeFileSync(path, `#!/bin/sh\nprintf '%s ' "$@" > ${folder}/asked\nprintf "${answer}"\n`);
    chmodSync(path, 0o755);
  }

  async function memoryOf(environment: NodeJS.ProcessEnv = {}): Promise<Gpus['memory']> {
    const gpus = await Gpus.find(true, environment, log);
    gpus.onModuleDestroy();
    return gpus.memory;
  }

  it('are counted together', async () => {
    driverSays('143771, 617\\n143771, 0\\n');
    expect(await memoryOf()).toEqual({ total: 2 * 143_771 * MIB, used: 617 * MIB });
    expect(warn).not.toHaveBeenCalled();
  });

  it('are those that CUDA may see', async () => {
    driverSays('100, $4\\n');
    expect(await memoryOf({ CUDA_VISIBLE_DEVICES: '5' })).toEqual({ total: 100 * MIB, used: 5 * MIB });
  });

  it.each(['[N/A], [N/A]\\n', 'No devices were found\\n', ''])('are unknown where the driver answers %j', async (answer) => {
    driverSays(answer);
    expect(await memoryOf()).toBeNull();
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('are unknown without a driver, and not looked for where none is wanted', async () => {
    expect(await memoryOf()).toBeNull();
    expect(warn).toHaveBeenCalledTimes(1);
    const gpus = await Gpus.find(false, {}, log);
    expect([gpus.memory, gpus.count]).toEqual([null, 0]);
    expect(warn).toHaveBeenCalledTimes(1);
  });
});
