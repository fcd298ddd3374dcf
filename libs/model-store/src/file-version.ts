import { stat } from 'node:fs/promises';

/** `model-00001-of-00003.gguf`: all parts are read. */
const PART = /^(?<name>.+)-\d{5}-of-(?<count>\d{5})\.gguf$/;
/** More parts than a model that anybody publishes. */
const PARTS_MAX = 1_000;

/** Sizes and times of change of a model's file, of all its parts: another text means that somebody replaced it. */
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
