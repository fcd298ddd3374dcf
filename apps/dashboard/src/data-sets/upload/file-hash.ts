import { Hash } from 'fast-sha256';

/** Bytes that are hashed at once: the page stays responsive between two. */
const PIECE = 1024 * 1024;

/**
 * SHA-256 of a file in hex, read piece by piece: the browser's own needs the whole file in memory.
 * @param onProgress share of the file, from 0 to 1
 */
export async function sha256Of(file: Blob, signal: AbortSignal, onProgress: (share: number) => void): Promise<string> {
  const hash = new Hash();
  for (let at = 0; at < file.size; at += PIECE) {
    hash.update(new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer()));
    signal.throwIfAborted();
    onProgress(at / file.size);
  }
  return [...hash.digest()].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
