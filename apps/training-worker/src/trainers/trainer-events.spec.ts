import { describe, expect, it } from 'vitest';
import { type TrainerEvent, TrainerEventReader } from './trainer-events.js';

function read(...chunks: string[]): { events: TrainerEvent[]; unread: number } {
  const events: TrainerEvent[] = [];
  const reader = new TrainerEventReader((event) => events.push(event));
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  return { events, unread: reader.unread };
}

describe('TrainerEventReader', () => {
  it('reads events that arrive in pieces', () => {
    const { events } = read('{"ev":"ready"}\n{"ev":"st', 'ep","step":1,"epoch":0.1,"loss":2}\n');
    expect(events).toEqual([{ ev: 'ready' }, { ev: 'step', step: 1, epoch: 0.1, loss: 2 }]);
  });

  it('takes a loss of null, which means not a number', () => {
    expect(read('{"ev":"step","step":1,"epoch":0,"loss":null}\n').events).toMatchObject([{ loss: null }]);
  });

  it('counts lines that are no events and goes on', () => {
    const { events, unread } = read('hello\n{"ev":"dance"}\n\n{"ev":"step"}\n{"ev":"ready"}\n');
    expect(events).toEqual([{ ev: 'ready' }]);
    expect(unread).toBe(3);
  });

  it('keeps nothing of a line that is too long', () => {
    const { events, unread } = read('x'.repeat(20_000), 'y'.repeat(20_000), 'z\n{"ev":"ready"}\n');
    expect(events).toEqual([{ ev: 'ready' }]);
    expect(unread).toBe(1);
  });

  it.each(['/etc/passwd', '../other/adapter.gguf', 'out/../../x', ''])('refuses a path outside the folder: %j', (path) => {
    expect(read(`${JSON.stringify({ ev: 'saved', path })}\n`).events).toEqual([]);
  });
});
