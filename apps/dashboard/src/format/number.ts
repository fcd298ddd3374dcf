const counts = new Intl.NumberFormat('en-US');

/** A whole number with thousands apart: `12,345`. */
export const formatCount = (count: number): string => counts.format(count);

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;

/** A size in decimal units, as disks and downloads are labelled: `4.1 GB`. */
export function formatBytes(bytes: number): string {
  const step = bytes < 1_000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[step] ?? ''}`;
}

/** A share as whole percent: `62 %`. */
export const formatPercent = (share: number): string => `${Math.floor(share * 100)} %`;

/** A count and its noun: `1 request`, `3 requests`. */
export const plural = (count: number, one: string, many = `${one}s`): string => `${formatCount(count)} ${count === 1 ? one : many}`;

/** A length of time as people read it: `98 ms`, `3.2 s`, `2.1 min`. */
export function formatMs(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  return `${(ms / 60_000).toFixed(1)} min`;
}

/** How often something happens, with as many digits as tell something: `0.03`, `4.2`, `120`. */
export function formatRate(rate: number): string {
  if (rate === 0) return '0';
  if (rate < 0.01) return '<0.01';
  if (rate < 1) return rate.toFixed(2);
  return rate < 10 ? rate.toFixed(1) : formatCount(Math.round(rate));
}

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** A count in little space: `12.3K`, `1.2M`; below 10,000 it is exact. */
export const formatCompact = (count: number): string => (Math.abs(count) < 10_000 ? formatCount(count) : compact.format(count));

/** A change against before, with its sign: `+12 %`, `−3.4 %`, `0 %`. @param share 0.12 for 12 % more */
export function formatChange(share: number): string {
  const percent = Math.abs(share * 100);
  const digits = percent >= 10 || percent < 0.05 ? percent.toFixed(0) : percent.toFixed(1);
  if (Number(digits) === 0) return '0 %';
  return `${share > 0 ? '+' : '−'}${digits} %`;
}
