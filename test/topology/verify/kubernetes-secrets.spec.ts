import { describe, expect, it } from 'vitest';
import { changes, objects, run, secretAt, valueOf } from '../secrets-in-kubernetes.js';

const NATS = '/apis/apps/v1/namespaces/prod/statefulsets/slipway-nats';

/** A set of NATS nodes, as it is after an install. */
function installNats(): void {
  const status = { observedGeneration: 1, updatedReplicas: 3, readyReplicas: 3 };
  objects.set(NATS, {
    metadata: { name: 'slipway-nats', generation: 1 },
    spec: { replicas: 3, template: { metadata: {} } },
    status,
  });
}

describe('the secrets of an installation in Kubernetes', () => {
  it('get what a newer release needs', async () => {
    await run('apply');
    const pepper = valueOf('slipway-gateway', 'KEY_PEPPERS');
    delete objects.get(secretAt('slipway-gateway'))?.data?.['SLIPWAY_SECRET_KEY'];
    objects.delete(secretAt('slipway-trainer'));
    changes.length = 0;
    expect(await run('apply')).toMatchObject({ code: 0 });
    expect(changes.toSorted()).toEqual([`PATCH ${secretAt('slipway-gateway')}`, `POST ${secretAt('')}slipway-trainer`]);
    expect([valueOf('slipway-gateway', 'KEY_PEPPERS'), valueOf('slipway-gateway', 'SLIPWAY_SECRET_KEY')]).toEqual([
      pepper,
      valueOf('slipway-keys', 'SLIPWAY_SECRET_KEY'),
    ]);
  });

  it('restart NATS nodes whose configuration changed', async () => {
    await run('apply');
    installNats();
    expect(await run('apply')).toMatchObject({ code: 0 });
    const digest = objects.get(NATS)?.spec?.template.metadata.annotations?.['slipway.dev/nats-config'];
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    changes.length = 0;
    await run('apply');
    expect(changes).toEqual([]);
    await run('apply', { SLIPWAY_ENV: 'stage' });
    expect(changes).toContain(`PATCH ${NATS}`);
    expect(objects.get(NATS)?.spec?.template.metadata.annotations?.['slipway.dev/nats-config']).not.toBe(digest);
  });

  it('fail when the NATS nodes stay down', async () => {
    installNats();
    objects.get(NATS)!.status = { observedGeneration: 1, updatedReplicas: 3, readyReplicas: 2 };
    expect(await run('apply')).toMatchObject({ code: 1, text: expect.stringContaining('did not become ready') as string });
  });
});
