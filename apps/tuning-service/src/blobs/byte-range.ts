/** Which bytes of a file an answer holds: `[start, end)`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
  /** False = the whole file is answered, with 200. */
  readonly isPart: boolean;
}

/** Reads a `Range` header of one range. Forms that are not served, and ranges outside of the file, give the whole file. */
export function rangeOf(header: string | undefined, bytes: number): ByteRange {
  const whole = { start: 0, end: bytes, isPart: false };
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return whole;
  const start = from === '' ? Math.max(0, bytes - Number(to)) : Number(from);
  const end = from === '' || to === '' ? bytes : Math.min(bytes, Number(to) + 1);
  return start < end ? { start, end, isPart: true } : whole;
}
