/** A network of an address, and its share in units of the narrowest network. */
export interface Network {
  readonly name: string;
  readonly shares: number;
}

/**
 * The networks of an address, widest first: /48, /56 and /64 of IPv6, the /24 and the address of IPv4. One customer
 * commonly has a /64, and easily a /48 of 65,536 of them.
 */
export function networksOf(address: string): readonly Network[] {
  const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  if (!plain.includes(':')) {
    const own = { name: plain, shares: 1 };
    return plain.includes('.') ? [{ name: `${plain.slice(0, plain.lastIndexOf('.'))}.0/24`, shares: 16 }, own] : [own];
  }
  const [first = 0, second = 0, third = 0, fourth = 0] = groupsOf(plain);
  const prefix = (last: number, bits: number): string =>
    `${[first, second, third, last].map((group) => group.toString(16)).join(':')}::/${bits}`;
  return [
    { name: prefix(0, 48), shares: 16 },
    { name: prefix(fourth & 0xff_00, 56), shares: 4 },
    { name: prefix(fourth, 64), shares: 1 },
  ];
}

/** The narrowest network of an address: an IPv4 address, or a /64. */
export const networkOf = (address: string): string => networksOf(address).at(-1)?.name ?? address;

/** The groups of an IPv6 address, as numbers. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const behind = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : Math.max(0, 8 - groups.length - behind.length);
  const full = [...groups, ...Array.from({ length: missing }, () => '0'), ...behind];
  return full.map((group) => Number.parseInt(group, 16) || 0);
}
