import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ClientProgress } from './client-progress.js';

describe('the progress of a client', () => {
  const bench = () => {
    const socket = { bytesWritten: 1_000, writableLength: 1_000, _handle: { writeQueueSize: 1_000 } };
    const response = { socket, writableLength: 1_000 };
    return { socket, response, progress: new ClientProgress(response as unknown as ServerResponse, 0) };
  };

  it('stalls without reads, and restarts with every byte', () => {
    const { socket, progress } = bench();
    progress.stalledFor(0);
    expect(progress.stalledFor(50)).toBe(50);
    socket.bytesWritten += 10;
    expect(progress.stalledFor(60)).toBe(0);
    expect(progress.stalledFor(100)).toBe(40);
  });

  it('is measured within one large write', () => {
    const { socket, progress } = bench();
    progress.stalledFor(0);
    for (let now = 10; now <= 100; now += 10) {
      socket._handle.writeQueueSize -= 1;
      expect(progress.stalledFor(now)).toBe(0);
    }
    expect(progress.stalledFor(150)).toBe(50);
  });

  it('is not measured while nothing is pending', () => {
    const { response, progress } = bench();
    response.writableLength = 0;
    expect(progress.stalledFor(10_000)).toBe(0);
  });
});
