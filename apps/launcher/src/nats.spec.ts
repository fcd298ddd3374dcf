import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { credentialsFolder } from './nats.js';

describe('credentials for a server of the user’s', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-credentials-'));
    for (const role of ['gateway', 'join', 'keys']) mkdirSync(join(folder, role));
    writeFileSync(join(folder, 'gateway', 'gateway.creds'), '');
    writeFileSync(join(folder, 'join', 'join.json'), '');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('are shown to the process of their role alone, where each role has a folder', () => {
    expect([credentialsFolder(folder, 'gateway'), credentialsFolder(folder, 'join')]).toEqual([
      join(folder, 'gateway'),
      join(folder, 'join'),
    ]);
  });

  it('are taken from the one folder for a role that has none of its own', () => {
    expect([credentialsFolder(folder, 'keys'), credentialsFolder(folder, 'ops')]).toEqual([folder, folder]);
  });
});
