import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const LETTER_BITS = 5;
/** A seed: two bytes of kind, 32 of the key, two of a checksum. Public keys have one byte of kind. */
const [KEY_BEGIN, KEY_END, SEED_BYTES, SEED_LETTERS] = [2, 34, 36, 58];
const PUBLIC_LETTERS = 56;
/** Ed25519 keys in DER (RFC 8410): what stands before a private key in PKCS #8. A public key ends its SPKI. */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_BYTES = 32;

/** CRC-16/XMODEM, the lower byte first. */
function checksumOf(bytes: Uint8Array): Buffer {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) sum = ((sum << 1) ^ (sum & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return Buffer.from([sum & 0xff, sum >> 8]);
}

function bytesOf(seed: string): Buffer {
  if (!/^S[A-Z2-7]+$/.test(seed) || seed.length !== SEED_LETTERS) throw new TypeError('The seed of an nkey is malformed.');
  const bits = seed.split('').reduce((sum, letter) => (sum << BigInt(LETTER_BITS)) + BigInt(BASE32.indexOf(letter)), 0n);
  const hex = (bits >> BigInt(SEED_LETTERS * LETTER_BITS - SEED_BYTES * 8)).toString(16);
  const bytes = Buffer.from(hex.padStart(SEED_BYTES * 2, '0'), 'hex');
  if (!checksumOf(bytes.subarray(0, KEY_END)).equals(bytes.subarray(KEY_END))) throw new TypeError('The seed of an nkey is damaged.');
  return bytes;
}

/** Base32 (RFC 4648) of 35 bytes, which end with a letter. */
function lettersOf(bytes: Uint8Array): string {
  const digits = BigInt(`0x${Buffer.from(bytes).toString('hex')}`).toString(1 << LETTER_BITS);
  const letters = digits.padStart(PUBLIC_LETTERS, '0').split('');
  return letters.map((digit) => BASE32[parseInt(digit, 1 << LETTER_BITS)]).join('');
}

/**
 * A key pair of NATS, an Ed25519 key whose seed and public key are texts
 * (https://docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_intro/nkey_auth). Node computes it: the NATS
 * client does so in JavaScript, hundreds of times slower, which blocks the event loop at each connection.
 */
export class Nkey {
  /** The public key, such as `UD…` of a user. */
  readonly public: string;
  readonly #key: KeyObject;

  /** @throws TypeError for a text that is no seed */
  constructor(seed: string) {
    const bytes = bytesOf(seed);
    const der = Buffer.concat([PKCS8_ED25519, bytes.subarray(KEY_BEGIN, KEY_END)]);
    this.#key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    // The first five bits make each seed begin with "S"; the eight after them are the kind.
    const kind = (bytes.readUInt16BE() >> 3) & 0xff;
    const own = createPublicKey(this.#key).export({ format: 'der', type: 'spki' }).subarray(-PUBLIC_BYTES);
    const body = Buffer.concat([Buffer.from([kind]), own]);
    this.public = lettersOf(Buffer.concat([body, checksumOf(body)]));
  }

  /** @returns the 64 bytes of the signature, in base64url */
  sign(text: string): string {
    return sign(null, Buffer.from(text), this.#key).toString('base64url');
  }
}
