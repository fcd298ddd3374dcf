/** What pip fetches or does at the moment, for people; null for lines that say nothing of it. */
export function parsePipLine(line: string): string | null {
  const [, name, size] = /^\s*(?:Downloading|Using cached) ([A-Za-z0-9_.]+)-\S+ \(([\d.]+ [kMG]?B)\)/.exec(line) ?? [];
  if (name !== undefined && size !== undefined) return `${name.replaceAll('_', '-')}, ${size}`;
  return line.startsWith('Installing collected packages') ? 'unpacking' : null;
}

/** Faults of pip by what it writes, the first that fits. */
const FAULTS: readonly (readonly [RegExp, string])[] = [
  [/DO NOT MATCH THE HASHES/i, 'a file of the registry is another one than the one that is pinned.'],
  [/No matching distribution|Could not find a version/i, 'the registry has no file of a package for this machine and Python.'],
  [
    /Connection|Temporary failure|timed out|Max retries|ProxyError|SSLError/i,
    'the registry cannot be reached. Set PIP_INDEX_URL, or name a Python that has the packages by TORCH_PYTHON.',
  ],
  [/Permission denied/i, 'the folder of trainers cannot be written.'],
];

/** Why pip failed, without any address or path. */
export function pipFault(errors: string): { readonly reason: string; readonly isDisk: boolean } {
  const isDisk = /No space left on device|ENOSPC|Disk quota/i.test(errors);
  return { reason: FAULTS.find(([pattern]) => pattern.test(errors))?.[1] ?? 'it ended with an error.', isDisk };
}
