import { expect, it } from 'vitest';
import { kernelFolder, LineSplitter, runnerEnvironment } from './runner-child.js';

it('joins lines from chunks, drops empty ones, cuts long ones', () => {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line));
  for (const byte of Buffer.from('größe\r\n\n  \nzwei\n')) splitter.push(Buffer.from([byte]));
  for (let nth = 0; nth < 100; nth += 1) splitter.push(Buffer.alloc(1_000, 'x'));
  splitter.push(Buffer.from('\nlast\n'));
  expect(lines.map((line) => line.slice(0, 5))).toEqual(['größe', 'zwei', 'xxxxx', 'last']);
  expect(lines[2]).toHaveLength(4_000);
});

it('gives a runner paths and settings of devices, and no secret', () => {
  const given = { PATH: '/bin', HOME: '/root', NVIDIA_VISIBLE_DEVICES: '0', NATS_CREDENTIALS_DIR: '/secret', HF_TOKEN: 'x' };
  expect(runnerEnvironment(given, null)).toEqual({ PATH: '/bin', HOME: '/root', NVIDIA_VISIBLE_DEVICES: '0' });
});

it('keeps compiled kernels of a GPU where the operator wants them, else beside the models', () => {
  expect(runnerEnvironment({}, '/models/cuda-kernels')).toMatchObject({ CUDA_CACHE_PATH: '/models/cuda-kernels' });
  expect(runnerEnvironment({ CUDA_CACHE_PATH: '/mine' }, '/models/cuda-kernels')).toMatchObject({ CUDA_CACHE_PATH: '/mine' });
});

it('keeps no kernels that another user writes, nor without a GPU', () => {
  const config = { GPU: 'auto', MODEL_CACHE_DIR: '/models' } as const;
  expect(kernelFolder(config, false)).toBe('/models/cuda-kernels');
  expect(kernelFolder(config, true)).toBeNull();
  expect(kernelFolder({ ...config, GPU: 'off' }, false)).toBeNull();
});
