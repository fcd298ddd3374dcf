import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const PIECE = Buffer.alloc(64 * 1024);

/** A disk of a few MiB, in memory, that a test can fill. */
export class SmallDisk {
  private constructor(readonly path: string) {}

  /** Null where this process may not mount. */
  static async mount(mebibytes: number): Promise<SmallDisk | null> {
    const path = mkdtempSync(join(tmpdir(), 'slipway-disk-'));
    try {
      await promisify(execFile)('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', path]);
      return new SmallDisk(path);
    } catch {
      rmSync(path, { recursive: true });
      return null;
    }
  }

  /** Writes until nothing more fits. */
  async fill(): Promise<void> {
    const file = await open(join(this.path, 'ballast'), 'w');
    try {
      for (;;) await file.writeFile(PIECE);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      await file.close();
    }
  }

  /** Takes away what `fill` wrote. */
  async clear(): Promise<void> {
    await rm(join(this.path, 'ballast'), { force: true });
  }

  async unmount(): Promise<void> {
    await promisify(execFile)('umount', ['-l', this.path]);
    rmSync(this.path, { recursive: true });
  }
}
