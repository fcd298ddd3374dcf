/** Most bytes of a list in one reply. The rest of NATS's 1 MiB is for the other fields. */
const LIST_BYTES_MAX = 900 * 1024;

/**
 * The first items of a list that fit into one reply as JSON; at least one. The rest belongs to the next page.
 * @param bytesMax room for the list, where it differs from the default
 */
export function fitting<T>(items: readonly T[], bytesMax = LIST_BYTES_MAX): readonly T[] {
  let bytes = 0;
  const end = items.findIndex((item, i) => {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    return i > 0 && bytes > bytesMax;
  });
  return end === -1 ? items : items.slice(0, end);
}
