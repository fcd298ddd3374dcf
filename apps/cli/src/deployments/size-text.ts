const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** A size in the largest unit that leaves at least 1. */
export function sizeText(bytes: number): string {
  const step = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1_024 ** step;
  return `${step === 0 ? value : value.toFixed(1)} ${UNITS[step] ?? ''}`;
}
