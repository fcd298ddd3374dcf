/** Bytes of a list in one reply at most. The rest of NATS's 1 MiB is room for what a reply holds besides. */
const LIST_BYTES_MAX = 900 * 1024;

/**
 * The first items of a list that one reply holds, as JSON; one at least. What is left out is the next page's.
 * @param bytesMax where the reply has more or less room than usual
 */
export function fitting<T>(items: readonly T[], bytesMax = LIST_BYTES_MAX): readonly T[] {
  let bytes = 0;
  const end = items.findIndex((item, i) => {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    return i > 0 && bytes > bytesMax;
  });
  return end === -1 ? items : items.slice(0, end);
}
