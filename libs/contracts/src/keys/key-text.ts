/** What a key gives access to: `dep` inference on an account's deployments, `mcp` the account's MCP server. */
export type KeyKind = 'dep' | 'mcp';

const RANDOM_CHARS = 43;
const CHECK_CHARS = 6;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY = /^svc_(dep|mcp)_[0-9A-Za-z]{49}$/;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

function crc32(ascii: string): number {
  let crc = 0xffffffff;
  for (let i = 0; i < ascii.length; i += 1) crc = (CRC_TABLE[(crc ^ ascii.charCodeAt(i)) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

function base62(value: bigint, length: number): string {
  let rest = value;
  let text = '';
  for (let i = 0; i < length; i += 1) {
    text = ALPHABET.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}

const checkOf = (body: string): string => base62(BigInt(crc32(body)), CHECK_CHARS);

/**
 * Formats a key: `svc_dep_` or `svc_mcp_`, 43 Base62 characters of 256 random bits, 6 of CRC-32.
 * @param random 32 bytes from a cryptographic source.
 */
export function formatKey(kind: KeyKind, random: Uint8Array): string {
  if (random.length !== 32) throw new TypeError('A key is made of 32 random bytes.');
  const value = random.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const body = `svc_${kind}_${base62(value, RANDOM_CHARS)}`;
  return body + checkOf(body);
}

/** The kind of a key whose form and check characters are valid; else null. Compares no secret. */
export function keyKindOf(text: string): KeyKind | null {
  const match = KEY.exec(text);
  if (!match) return null;
  const body = text.slice(0, -CHECK_CHARS);
  return checkOf(body) === text.slice(-CHECK_CHARS) ? (match[1] as KeyKind) : null;
}

/** What may be shown of a key after its creation: the prefix and the first four characters. */
export const keyHint = (key: string): string => key.slice(0, 'svc_dep_'.length + 4);
