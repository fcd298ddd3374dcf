import { afterEach, describe, expect, it } from 'vitest';
import { BodyParser } from './body-parser.js';

const MIB = 1024 * 1024;
const small = (value: object): Buffer => Buffer.from(JSON.stringify(value));
const large = (first = 0): Buffer => Buffer.alloc(MIB + 1, first);

/** A thread that answers each body with its own number, after a moment; it dies of a body that starts with 1. */
const SCRIPTED = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId } from 'node:worker_threads';
    parentPort.on('message', ({ bytes }) => {
      if (bytes[0] === 1) throw new Error('It broke.');
      setTimeout(() => parentPort.postMessage({ outcome: { value: { thread: threadId } } }), bytes[0] === 2 ? 60_000 : 20);
    });
  `)}`,
);

describe('bodies', () => {
  let parser: BodyParser;
  afterEach(() => parser.close());

  it('of up to 1 MiB are parsed at once', async () => {
    parser = new BodyParser(new URL('file:///there/is/no/thread.js'));
    const padding = 'x'.repeat(MIB - small({ padding: '' }).length);
    expect(await parser.parse(small({ padding }))).toEqual({ padding });
    await expect(parser.parse(small({ padding: `${padding}x` }))).rejects.toThrow('thread.js');
  });

  it('beyond 1 MiB are parsed in threads, at most four at once, and all get their answer', async () => {
    parser = new BodyParser(SCRIPTED);
    const answers = await Promise.all(Array.from({ length: 12 }, () => parser.parse(large())));
    expect(answers).toHaveLength(12);
    expect(new Set(answers.map(({ thread }) => thread)).size).toBe(4);
  });

  it('that kill their thread fail alone, and the next are parsed', async () => {
    parser = new BodyParser(SCRIPTED);
    const killers = Array.from({ length: 5 }, () => parser.parse(large(1)));
    const others = Array.from({ length: 5 }, () => parser.parse(large()));
    expect((await Promise.allSettled(killers)).map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'rejected'));
    expect(await Promise.all(others)).toHaveLength(5);
  });

  it('that are parsed or wait when the gateway ends fail, and no thread is left', async () => {
    parser = new BodyParser(SCRIPTED);
    const stuck = Array.from({ length: 6 }, () => parser.parse(large(2)));
    const outcomes = Promise.allSettled([...stuck]);
    await parser.close();
    expect((await outcomes).map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'rejected'));
    await expect(parser.parse(large())).rejects.toThrow('shutting down');
  });
});
