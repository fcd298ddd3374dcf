import { beforeEach, expect, it } from 'vitest';
import type { LaunchContext } from './launch-context.js';
import { Services } from './services.js';

const environment = {
  PATH: '/usr/bin',
  LD_LIBRARY_PATH: '/opt/cuda/lib64',
  CUDA_VISIBLE_DEVICES: '1',
  LLAMA_ARG_CACHE_RAM: '512',
  NVIDIA_API_KEY: 'nvapi-secret',
  CUDA_PATH: '',
  CONSOLE_PORT: '8081',
};

const started = new Map<string, Readonly<Record<string, string>>>();
beforeEach(() => started.clear());

/** Services of a start with these options; what would be started is noted. */
function services(options: { readonly tuning: boolean }): Services {
  const context = {
    stage: { root: '/slipway', environment, options: { workers: 1, ...options }, localUrl: 'http://127.0.0.1:8080' },
    env: 'dev',
    dataDir: { path: '/data', models: '/data/models', blobs: '/data/blobs' },
    secrets: { pepper: 'p', secretKey: 's' },
    state: { state: { model_dirs: [], model_hosts: [], engine_hosts: [] } },
    processes: { start: (spec: { name: string; env: Record<string, string> }) => started.set(spec.name, spec.env) },
  } as unknown as LaunchContext;
  return new Services(context, {
    nats: { url: 'nats://127.0.0.1:4222', credentialsOf: (role: string) => role, tls: false },
    databases: {},
  } as never);
}

const DEVICES = { LD_LIBRARY_PATH: '/opt/cuda/lib64', CUDA_VISIBLE_DEVICES: '1', LLAMA_ARG_CACHE_RAM: '512' };

it('hand variables of GPU libraries to workers and trainers', () => {
  const all = services({ tuning: true });
  all.startWorkers();
  all.startControlPlane();
  expect(started.get('worker-1')).toMatchObject(DEVICES);
  expect(started.get('control-plane')).toMatchObject(DEVICES);
});

it('hand them to no other process, and no secret to any', async () => {
  const all = services({ tuning: false });
  all.startWorkers();
  all.startControlPlane();
  await all.startConsole();
  expect([...started.keys()]).toEqual(['worker-1', 'control-plane', 'console']);
  for (const name of ['control-plane', 'console']) expect(started.get(name)).not.toHaveProperty('LD_LIBRARY_PATH');
  expect(JSON.stringify([...started])).not.toContain('nvapi-secret');
  expect(started.get('worker-1')).not.toHaveProperty('CUDA_PATH');
});
