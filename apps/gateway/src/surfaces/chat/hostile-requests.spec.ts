import { CanonicalRequest, isServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import type { ResolvedDeployment } from '../../deployments/deployment-resolver.service.js';
import { readChatRequest } from './request.js';
import { FULL } from './request.samples.js';

const ROUNDS = 3_000;
const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e300, '', 'x', '{', '[]', 'toString', '__proto__', 'data:image/png;base64,'],
  ...[[], [null], [[]], ['a', 'b'], {}, { type: 'function' }, { json: {}, regex: 'a' }, { toString: 2, length: 5, hasOwnProperty: 1 }],
  Array.from({ length: 3_000 }, () => 1),
];
const NAMES = ['functions', 'guided_json', 'guided_choice', 'regex', 'type', 'function', 'content', 'role', 'audio', 'lora', 'image_url'];
const INHERITED = ['toString', 'hasOwnProperty', 'valueOf'];

/** Numbers that look random and are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

/** The value with something in it lost, replaced or added. */
function mutated(value: unknown, random: (below: number) => number): unknown {
  if (typeof value !== 'object' || value === null || random(4) === 0) return VALUES[random(VALUES.length)];
  const entries = Object.entries(value);
  const strange = [...NAMES, ...INHERITED];
  const name = entries.length === 0 || random(6) === 0 ? strange[random(strange.length)]! : entries[random(entries.length)]![0];
  const changed = mutated((value as Record<string, unknown>)[name], random);
  if (Array.isArray(value))
    return random(10) === 0 ? value.slice(1) : value.map((item: unknown, i) => (String(i) === name ? changed : item));
  return random(10) === 0 ? Object.fromEntries(entries.filter(([key]) => key !== name)) : { ...value, [name]: changed };
}

describe('a chat request of any form', () => {
  const deployment = { facts: { caps: [] as string[], context: 100 }, slug: 'm', isNamed: () => true } as unknown as ResolvedDeployment;

  it('is valid for workers or gets a named error', () => {
    const random = numbers(7);
    let taken = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const body = mutated(random(3) === 0 ? mutated(FULL, random) : FULL, random);
      if (typeof body !== 'object' || body === null || Array.isArray(body)) continue;
      try {
        const { canonical } = readChatRequest(body as Record<string, unknown>, deployment, { imageHosts: [] });
        if (!CanonicalRequest.safeParse(canonical).success) expect.unreachable(`no worker reads ${JSON.stringify(canonical)}`);
        taken += 1;
      } catch (error) {
        if (!isServiceError(error)) expect.unreachable(`${String(error)} for ${JSON.stringify(body)}`);
        else if (!error.param || /undefined|\[object/.test(error.message))
          expect.unreachable(`${error.message} for ${JSON.stringify(body)}`);
      }
    }
    expect(taken).toBeGreaterThan(ROUNDS / 100);
  }, 60_000);
});
