import { describe, expect, it } from 'vitest';
import { sha256Of } from './file-hash.js';
import { type TusAnswer, type TusRequest, uploadFile } from './tus.js';

const MIB = 1024 * 1024;

const bytesOf = (size: number): Uint8Array<ArrayBuffer> => Uint8Array.from({ length: size }, (_, at) => (at * 31) >> 3);

/** A server that keeps what arrives; `cuts` answers instead of it, one after the other. */
function bench(size: number, cuts: readonly (TusAnswer | 'half')[] = [], offset = 0) {
  const file = new Blob([bytesOf(size)]);
  const left = [...cuts];
  const sent: string[] = [];
  const waits: number[] = [];
  const shown: number[] = [];
  const server = { offset };
  const signal = new AbortController();
  const keep = (bytes: number): TusAnswer => ({ status: 204, offset: (server.offset += bytes), message: null });
  const patched = (size: number): TusAnswer => {
    const cut = left.shift();
    if (cut === undefined) return keep(size);
    if (cut !== 'half') return cut;
    keep(Math.floor(size / 2));
    return NOTHING;
  };
  const send = ({ method, headers, body }: TusRequest): Promise<TusAnswer> => {
    const size = body?.size ?? 0;
    sent.push(method === 'HEAD' ? 'HEAD' : `PATCH ${headers['upload-offset']} +${size}`);
    return Promise.resolve(method === 'HEAD' ? keep(0) : patched(size));
  };
  const run = (): Promise<void> =>
    uploadFile({
      ...{ path: '/uploads/t', file, signal: signal.signal, send, chunk: MIB },
      onProgress: (bytes) => void shown.push(bytes),
      pause: (ms) => (waits.push(ms), Promise.resolve()),
    });
  return { run, sent, waits, shown, server, signal };
}

const NOTHING: TusAnswer = { status: 0, offset: null, message: null };

describe('an upload', () => {
  it('goes piece by piece from where it ended', async () => {
    const { run, sent, shown } = bench(3 * MIB, [], MIB);
    await run();
    expect(sent).toEqual(['HEAD', `PATCH ${MIB} +${MIB}`, `PATCH ${2 * MIB} +${MIB}`]);
    expect([shown[0], shown.at(-1)]).toEqual([MIB, 3 * MIB]);
  });

  it('continues after a cut without sending twice what arrived', async () => {
    const { run, sent, waits, server } = bench(2 * MIB, ['half', { ...NOTHING, status: 503 }]);
    await run();
    expect(sent).toEqual([
      'HEAD',
      `PATCH 0 +${MIB}`,
      'HEAD',
      `PATCH ${MIB / 2} +${MIB}`,
      'HEAD',
      `PATCH ${MIB / 2} +${MIB}`,
      `PATCH ${1.5 * MIB} +${MIB / 2}`,
    ]);
    expect([waits, server.offset]).toEqual([[500, 2_000], 2 * MIB]);
  });

  it('asks for the offset when the server has another one', async () => {
    const { run, sent } = bench(MIB, [{ status: 409, offset: null, message: 'Wrong offset.' }]);
    await run();
    expect(sent).toEqual(['HEAD', `PATCH 0 +${MIB}`, 'HEAD', `PATCH 0 +${MIB}`]);
  });

  it('gives up after three tries that got no further', async () => {
    const { run, waits } = bench(MIB, [NOTHING, NOTHING, NOTHING, NOTHING]);
    await expect(run()).rejects.toThrow('What arrived is kept');
    expect(waits).toEqual([500, 2_000, 5_000]);
  });

  it('ends at once with the server’s reason when it is refused', async () => {
    const { run, waits } = bench(MIB, [{ status: 413, offset: null, message: 'The file is too large.' }]);
    await expect(run()).rejects.toThrow('The file is too large.');
    expect(waits).toEqual([]);
    await expect(bench(MIB, [{ ...NOTHING, status: 404 }]).run()).rejects.toThrow('Start it again');
  });

  it('says why the server dropped it, not that it is gone', async () => {
    const file = new Blob([bytesOf(10)]);
    const gone: TusAnswer = { status: 404, offset: null, message: 'There is nothing at this address.' };
    const heads = [{ status: 200, offset: 0, message: null }, gone];
    const send = ({ method }: TusRequest): Promise<TusAnswer> =>
      Promise.resolve(method === 'HEAD' ? (heads.shift() ?? gone) : { status: 409, offset: null, message: 'Its SHA-256 differs.' });
    const run = uploadFile({
      path: '/uploads/t',
      file,
      signal: new AbortController().signal,
      send,
      onProgress: () => undefined,
      pause: () => Promise.resolve(),
    });
    await expect(run).rejects.toMatchObject({ message: 'Its SHA-256 differs.', isOver: true });
  });

  it('stops where the person stops it', async () => {
    const { run, signal } = bench(MIB);
    signal.abort();
    await expect(run()).rejects.toThrow('abort');
  });
});

it('hashes a file as everybody does', async () => {
  for (const size of [0, 1, 2 * MIB + 7]) {
    const bytes = bytesOf(size);
    const hash = await sha256Of(new Blob([bytes]), new AbortController().signal, () => undefined);
    const known = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    expect(hash).toBe([...known].map((byte) => byte.toString(16).padStart(2, '0')).join(''));
  }
});
