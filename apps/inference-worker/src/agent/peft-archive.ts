import { EngineLoadError } from '@slipway/engine';

const BLOCK = 512;
/** Files of the PEFT form. Nothing else is written for an engine: some read whatever lies in the folder. */
const FILES: readonly string[] = ['adapter_config.json', 'adapter_model.safetensors'];

const damaged = (): EngineLoadError => new EngineLoadError('adapter_mismatch', 'The stored PEFT form of the adapter is damaged.');

/**
 * The two files of an adapter's PEFT form, out of the archive (ustar) in which it is stored.
 * @throws EngineLoadError `adapter_mismatch` for anything else
 */
export function readPeft(archive: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (let at = 0; at + BLOCK <= archive.length && archive[at] !== 0;) {
    const name = archive.toString('latin1', at, at + 100).replace(/\0.*$/s, '');
    const size = Number.parseInt(archive.toString('latin1', at + 124, at + 135), 8);
    const from = at + BLOCK;
    if (!FILES.includes(name) || files.has(name) || !(size >= 0) || from + size > archive.length) throw damaged();
    files.set(name, archive.subarray(from, from + size));
    at = from + Math.ceil(size / BLOCK) * BLOCK;
  }
  if (files.size !== FILES.length) throw damaged();
  return files;
}
