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

  it('are read from the role’s own folder', () => {
    expect([credentialsFolder(folder, 'gateway'), credentialsFolder(folder, 'join')]).toEqual([
      join(folder, 'gateway'),
      join(folder, 'join'),
    ]);
  });

  it('are read from the common folder otherwise', () => {
    expect([credentialsFolder(folder, 'keys'), credentialsFolder(folder, 'ops')]).toEqual([folder, folder]);
  });
});
