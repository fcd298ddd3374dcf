import { stat } from 'node:fs/promises';

/** `model-00001-of-00003.gguf`: one part of a split model. */
const PART = /^(?<name>.+)-\d{5}-of-(?<count>\d{5})\.gguf$/;
/** More parts than any published model has. */
const PARTS_MAX = 1_000;

/** All parts of a model file in order; most models have one. */
export function partsOf(path: string): string[] {
  const { name, count } = PART.exec(path)?.groups ?? {};
  const parts = Math.min(PARTS_MAX, Number(count ?? 1));
  if (name === undefined) return [path];
  return Array.from({ length: parts }, (_, i) => `${name}-${String(i + 1).padStart(5, '0')}-of-${count}.gguf`);
}

/** Sizes and modification times of all parts of a model file. A different text means that the file was replaced. */
export async function fileVersion(path: string): Promise<string> {
  const versions = await Promise.all(
    partsOf(path).map((one) =>
      stat(one).then(
        ({ size, mtimeMs }) => `${size}:${mtimeMs}`,
        () => 'none',
      ),
    ),
  );
  return versions.join(' ');
}
