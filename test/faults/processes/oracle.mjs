/** The token that the deterministic engine produces at position `index` of the stream with this seed. */
export const tokenAt = (seed, index) => `${((Math.imul(seed + 1, 2654435761) ^ Math.imul(index + 1, 40503)) >>> 0).toString(36)} `;
