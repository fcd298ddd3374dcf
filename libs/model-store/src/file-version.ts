import { stat } from 'node:fs/promises';

/** `model-00001-of-00003.gguf`: one part of a split model. */
const PART = /^(?<name>.+)-\d{5}-of-(?<count>\d{5})\.gguf$/;
/** More parts than any published model has. */
const PARTS_MAX = 1_000;

/** Sizes and modification times of all parts of a model file. A different text means that the file was replaced. */
export async function fileVersion(path: string): Promise<string> {
  const { name, count } = PART.exec(path)?.groups ?? {};
  const parts = Math.min(PARTS_MAX, Number(count ?? 1));
  const paths =
    name === undefined ? [path] : Array.from({ length: parts }, (_, i) => `${name}-${String(i + 1).padStart(5, '0')}-of-${count}.gguf`);
  const versions = await Promise.all(
    paths.map((one) =>
      stat(one).then(
        ({ size, mtimeMs }) => `${size}:${mtimeMs}`,
        () => 'none',
      ),
    ),
  );
  return versions.join(' ');
}
