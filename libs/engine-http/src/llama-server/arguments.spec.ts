import { describe, expect, it } from 'vitest';
import { serverArguments } from './arguments.js';

const model = { path: '/m.gguf', alias: 'model' };
const settings = { context: null, slots: 3, threads: 2, gpu: false };
const text = (options = {}, changes = {}): string =>
  serverArguments({ ...model, options, embeds: false }, { ...settings, ...changes }).join(' ');

describe('arguments of a llama-server', () => {
  it('give each slot the usual context', () => {
    expect(text()).toContain('--ctx-size 12288 --parallel 3 --threads 2');
    expect(text({}, { context: 100 })).toContain('--ctx-size 300');
  });

  it('have a whole text of an embedding in one batch', () => {
    const args = serverArguments({ ...model, options: {}, embeds: true }, { ...settings, context: 100 }).join(' ');
    expect(args).toContain('--embedding --batch-size 100 --ubatch-size 100');
    expect(text()).not.toContain('--embedding');
  });

  it('use a GPU only where the operator allows it', () => {
    expect(text({ gpu_layers: '5' })).toMatch(/--device none$/);
    expect(text({ gpu_layers: '5' }, { gpu: true })).toMatch(/--threads 2 --n-gpu-layers 5$/);
  });

  it('ignore options that only other versions know', () => {
    expect(text({ newer: '--port 1', toString: 'x' })).toBe(text());
  });

  it.each([
    ['gpu_layers', 'all'],
    ['flash_attention', 'on --host 0.0.0.0'],
    ['cache_type', 'f16\n--log-file'],
  ])('refuse %s with the value %j', (name, value) => {
    expect(() => text({ [name]: value }, { gpu: true })).toThrow(`This worker does not take the value of the option ${name}.`);
  });
});
