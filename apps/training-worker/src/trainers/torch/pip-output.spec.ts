import { describe, expect, it } from 'vitest';
import { parsePipLine, pipFault } from './pip-output.js';

describe('the output of pip', () => {
  it.each([
    ['  Downloading torch-2.15.0-cp311-cp311-manylinux_2_28_x86_64.whl (874.6 MB)', 'torch, 874.6 MB'],
    ['  Using cached nvidia_cublas-13.4.1.3-py3-none-manylinux_2_27_x86_64.whl (509 kB)', 'nvidia-cublas, 509 kB'],
    ['Installing collected packages: torch, peft', 'unpacking'],
    ['Collecting torch==2.15.0 (from -r requirements.lock (line 9))', null],
    ['Looking in indexes: https://user:secret@registry.example/simple', null],
  ])('is shown without addresses: %s', (line, shown) => {
    expect(parsePipLine(line)).toBe(shown);
  });

  it.each([
    ['ERROR: No matching distribution found for torch==2.15.0', /no file of a package/],
    ['ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.', /another one than the one that is pinned/],
    ["WARNING: Retrying after connection broken by 'NewConnectionError(https://user:secret@registry.example)'", /cannot be reached/],
    ['ERROR: something new at https://user:secret@registry.example', /ended with an error/],
  ])('becomes a reason without addresses: %s', (errors, reason) => {
    const fault = pipFault(errors);
    expect(fault.reason).toMatch(reason);
    expect(fault.reason).not.toContain('secret');
    expect(fault.isDisk).toBe(false);
  });

  it('tells a full disk from the rest', () => {
    expect(pipFault("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device: '/x'").isDisk).toBe(true);
  });
});
