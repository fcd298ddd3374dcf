import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createLogger } from '@slipway/platform';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Connections } from './connections.js';

class Line extends EventEmitter {
  destroyed = false;
  bytesWritten = 1_000;
  writableLength = 1_000;
  timeoutMs: number | null = null;

  constructor(readonly remoteAddress: string) {
    super();
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }

  setTimeout(ms: number): void {
    this.timeoutMs = ms;
  }
}

const doorOf = (most: number, perAddress = 0) => {
  const connections = new Connections({ most, perAddress, perAccount: 0, log: createLogger('test', 'silent') });
  const socketOf = (line: Line): Socket => line as unknown as Socket;
  return {
    connections,
    open: (address: string): Line => {
      const line = new Line(address);
      connections.opened(socketOf(line));
      return line;
    },
    begin: (line: Line): ServerResponse => {
      const response = new EventEmitter() as unknown as ServerResponse;
      connections.began(socketOf(line), response);
      return response;
    },
    prove: (line: Line, response: ServerResponse, account = 1): boolean => connections.proven(socketOf(line), response, account),
    isSurplus: (line: Line): boolean => connections.isSurplus(socketOf(line)),
  };
};

describe('connections at their maximum', () => {
  it('close the oldest idle one of the busiest address', () => {
    const { open } = doorOf(4);
    const honest = open('10.0.0.1');
    const greedy = [open('10.0.0.2'), open('10.0.0.2'), open('10.0.0.2')];
    const next = open('10.0.0.3');
    expect([honest, ...greedy, next].map(({ destroyed }) => destroyed)).toEqual([false, true, false, false, false]);
  });

  it('close none in use and become surplus instead', () => {
    const { open, begin, isSurplus } = doorOf(2);
    const lines = [open('10.0.0.1'), open('10.0.0.1')];
    const responses = lines.map(begin);
    const surplus = open('10.0.0.2');
    expect([...lines, surplus].map((line) => [line.destroyed, isSurplus(line)])).toEqual([
      [false, false],
      [false, false],
      [false, true],
    ]);
    responses[0]?.emit('close');
    surplus.destroy();
    const next = open('10.0.0.3');
    expect([lines[0]?.destroyed, lines[1]?.destroyed, isSurplus(next)]).toEqual([true, false, false]);
  });

  it('count an IPv6 /64 network as one address', () => {
    const { open, begin } = doorOf(10, 2);
    const first = open('2001:db8::1');
    begin(first);
    const second = open('2001:db8::2');
    const third = open('2001:db8::3');
    begin(third);
    const fourth = open('2001:db8::4');
    expect([first, second, third, fourth].map(({ destroyed }) => destroyed)).toEqual([false, true, false, true]);
    expect(open('2001:db8:1::1').destroyed).toBe(false);
  });

  it('stay idle 5 s before a valid key', () => {
    const { open, begin, prove } = doorOf(10);
    const line = open('10.0.0.1');
    const first = begin(line);
    expect(first).toMatchObject({ _keepAliveTimeout: 5_000 });
    first.emit('close');
    expect(line.timeoutMs).toBe(5_000);
    line.timeoutMs = null;
    const second = begin(line);
    prove(line, second);
    expect(second).toMatchObject({ _keepAliveTimeout: 75_000 });
    second.emit('close');
    expect(line.timeoutMs).toBeNull();
  });

  it('leave a quarter free of one account', () => {
    const { open, begin, prove } = doorOf(16);
    const use = (account: number): { line: Line; response: ServerResponse; isIn: boolean } => {
      const line = open('10.0.0.1');
      const response = begin(line);
      return { line, response, isIn: prove(line, response, account) };
    };
    const first = Array.from({ length: 13 }, () => use(1));
    expect(first.filter(({ isIn }) => isIn)).toHaveLength(12);
    expect(use(2).isIn).toBe(true);
    first[12]?.response.emit('close');
    expect(use(1).isIn).toBe(false);
    for (const { line, response } of first.slice(0, 4)) {
      line.destroy();
      response.emit('close');
    }
    expect(use(1).isIn).toBe(true);
  });

  describe('and clients that do not read', () => {
    afterEach(() => vi.useRealTimers());

    /** A connection whose response is complete and waits for its client. */
    const ended = ({ open, begin }: ReturnType<typeof doorOf>): { line: Line; response: ServerResponse } => {
      const line = open('10.0.0.1');
      return { line, response: Object.assign(begin(line), { writableEnded: true, writableLength: 1_000, socket: line }) };
    };

    it('are closed for newcomers once their response is complete', () => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
      const door = doorOf(3);
      const running = door.open('10.0.0.1');
      door.begin(running);
      const [quiet, reading] = [ended(door).line, ended(door).line];
      for (let s = 0; s < 8; s += 1) {
        reading.bytesWritten += 10;
        vi.advanceTimersByTime(1_000);
      }
      const next = [door.open('10.0.0.2'), door.open('10.0.0.2')];
      expect([running, quiet, reading, ...next].map(({ destroyed }) => destroyed)).toEqual([false, true, false, true, false]);
      expect(next.map(door.isSurplus)).toEqual([false, false]);
    });

    it('are closed after 30 s, with keys 60 s', () => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
      const door = doorOf(10);
      const [unproven, proven] = [ended(door), ended(door)];
      door.prove(proven.line, proven.response);
      vi.advanceTimersByTime(30_000);
      expect([unproven.line.destroyed, proven.line.destroyed]).toEqual([false, false]);
      vi.advanceTimersByTime(2_000);
      expect([unproven.line.destroyed, proven.line.destroyed]).toEqual([true, false]);
      vi.advanceTimersByTime(30_000);
      expect(proven.line.destroyed).toBe(true);
    });
  });
});
