import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changes, folder, objects, run, type Stored, valueOf } from './secrets-in-kubernetes.js';

// Later releases, and the restart of NATS nodes, are under verify.
describe('the secrets of an installation in Kubernetes', () => {
  it('are made once and never changed', async () => {
    expect(await run('apply')).toMatchObject({ code: 0 });
    expect(valueOf('slipway-gateway', 'gateway.creds')).toContain('BEGIN NATS USER JWT');
    expect(valueOf('slipway-gateway', 'KEY_PEPPERS')).toBe(valueOf('slipway-keys', 'KEY_PEPPERS'));
    expect(JSON.parse(valueOf('slipway-databases', 'databases.json'))).toMatchObject({
      databases: [{ database: 'slipway_prod_keys', role: 'slipway_keys', password: valueOf('slipway-keys', 'DATABASE_PASSWORD') }, {}, {}],
    });
    expect(valueOf('slipway-nats', 'slipway-nats-1.conf')).toContain('slipway-nats-2.slipway-nats:6222');
    expect(valueOf('slipway-nats', 'slipway-nats-1.conf')).toContain('advertise: "slipway-nats-1.slipway-nats:6222"');
    const before = structuredClone(objects);
    changes.length = 0;
    expect(await run('apply')).toMatchObject({ code: 0 });
    expect([changes, objects]).toEqual([[], before]);
  });

  it('stay out of messages when they are refused', async () => {
    writeFileSync(join(folder, 'token'), 'another');
    const { code, text } = await run('apply');
    expect([code, text]).toEqual([
      1,
      'The Secrets could not be made: GET /api/v1/namespaces/prod/secrets/slipway-secrets: 401 Unauthorized.\n',
    ]);
  });

  it('are printed for a store, without NATS of its own', async () => {
    const { code, text } = await run('print', { NATS_NODES: '0', NAME: 'team' });
    const { items } = JSON.parse(text) as { items: Stored[] };
    expect([code, changes]).toEqual([0, []]);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(['team-secrets', 'team-gateway', 'team-join']));
    expect(items.map(({ metadata }) => metadata.name)).not.toContain('team-nats');
  });
});
