import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { type AccountFeedRecord, type ApiKeyFeedRecord, formatKey, ServiceError } from '@slipway/contracts';
import { macOf, parsePeppers } from '@slipway/platform';
import { describe, expect, it } from 'vitest';
import { KeyIndex } from '../../../apps/gateway/src/auth/key-index.js';
import { KeyVerifier } from '../../../apps/gateway/src/auth/key-verifier.service.js';
import { croppedT, timesOf } from './welch.js';

const ROUNDS = 10_000;
/** On an idle machine, two samples of code that takes equally long seldom differ by more. */
const T_MAX = 4.5;
/** A difference in the code shows in every trial, one from other load on the machine only in some. */
const TRIALS = 5;
const KNOWN = 2_000;

const [current, old] = parsePeppers(`current:${'11'.repeat(32)},old:${'22'.repeat(32)}`);
const [foreign] = parsePeppers(`current:${'33'.repeat(32)}`);
const newKey = (): string => formatKey('dep', randomBytes(32));

const recordOf = (id: number, text: string, changes: Partial<ApiKeyFeedRecord> = {}, pepper = current!): ApiKeyFeedRecord =>
  ({
    type: 'key',
    id,
    account: 1,
    kind: 'dep',
    mac: macOf(text, pepper).toString('base64url'),
    pepper: pepper.id,
    state: 'active',
    expires: null,
    deployments: null,
    ...changes,
  }) as ApiKeyFeedRecord;

/** The gateway's check, with keys to find. */
function verifierWith(records: readonly ApiKeyFeedRecord[]): KeyVerifier {
  const index = new KeyIndex();
  index.put('account:1', { type: 'account', id: 1, slug: 'acme', state: 'active' } as AccountFeedRecord);
  for (let id = 1; id <= KNOWN; id += 1) index.put(`key:${id}`, recordOf(id, newKey()));
  for (const record of records) index.put(`key:${record.id}`, record);
  return new KeyVerifier(index, [current!, old!], () => 'fresh');
}

function refuse(verifier: KeyVerifier, text: string): void {
  if (!(verifier.verify(text) instanceof ServiceError)) throw new Error('A key was accepted that is not valid.');
}

/** Keys of each kind, used in turn, so that the memory location of one text does not bias its kind. */
const SAMPLES = 64;
type Kind = 'unknown' | 'revoked' | 'revoked under an older pepper' | 'of another environment';

/** Equally many texts of each kind, and the records of stored keys. */
function drawKeys(): { readonly texts: Record<Kind, string[]>; readonly records: ApiKeyFeedRecord[] } {
  let id = KNOWN;
  const draw = (): string[] => Array.from({ length: SAMPLES }, newKey);
  const texts: Record<Kind, string[]> = {
    unknown: draw(),
    revoked: draw(),
    'revoked under an older pepper': draw(),
    'of another environment': draw(),
  };
  const records = (kind: Kind, changes: Partial<ApiKeyFeedRecord>, pepper = current): ApiKeyFeedRecord[] =>
    texts[kind].map((text) => recordOf((id += 1), text, changes, pepper));
  return {
    texts,
    records: [
      ...records('revoked', { state: 'revoked' }),
      ...records('revoked under an older pepper', { state: 'revoked' }, old),
      ...records('of another environment', {}, foreign),
    ],
  };
}

/** @returns Welch's t of each kind against `unknown`, for new random keys */
function trialOfRefusals(): Record<string, number> {
  const { texts, records } = drawKeys();
  const verifier = verifierWith(records);
  const trial = {
    kinds: Object.keys(texts) as Kind[],
    // The key of a request is a new string each time.
    draw: (kind: Kind): string => Buffer.from(texts[kind][randomInt(SAMPLES)]!, 'latin1').toString('latin1'),
    act: (text: string): void => refuse(verifier, text),
  };
  timesOf(trial, ROUNDS);
  const { unknown: reference, ...others } = timesOf(trial, ROUNDS);
  return Object.fromEntries(Object.entries(others).map(([name, times]) => [name, croppedT(reference, times)]));
}

describe('the time to refuse a key', () => {
  it('does not depend on why it is refused', () => {
    const trials = Array.from({ length: TRIALS }, trialOfRefusals);
    for (const kind of Object.keys(trials[0]!)) {
      expect(Math.min(...trials.map((ts) => Math.abs(ts[kind]!))), kind).toBeLessThan(T_MAX);
    }
  });

  it('would differ if only known keys were compared', () => {
    const mac = randomBytes(32);
    const trial = {
      kinds: ['compared', 'not'] as const,
      draw: (kind: 'compared' | 'not'): string | null => (kind === 'compared' ? mac.toString('base64url') : null),
      act: (text: string | null): boolean => text !== null && timingSafeEqual(Buffer.from(text, 'base64url'), mac),
    };
    timesOf(trial, ROUNDS);
    const { compared, not } = timesOf(trial, ROUNDS);
    expect(croppedT(compared, not)).toBeGreaterThan(T_MAX);
  });
});
