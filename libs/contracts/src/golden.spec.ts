import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Contract } from './channel.js';
import { CONTRACTS } from './contracts.js';
import { ModelSource } from './deployments/model-source.js';
import { DeploymentFeedRecord } from './deployments/deployment-feed.js';
import { ControlMessage } from './inference/control.js';
import { Frame, NoInterest } from './inference/frames.js';
import { StreamEvent } from './inference/stream-event.js';
import { KeyFeedRecord } from './keys/key-feed.js';

/** The recorded messages of one contract. */
interface Golden {
  readonly messages?: readonly unknown[];
  readonly requests?: readonly unknown[];
  readonly replies?: readonly unknown[];
}

const folder = new URL('../golden/', import.meta.url);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
const GOLDEN = new Map(
  files.flatMap((name) => Object.entries(JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Record<string, Golden>)),
);

const recordedAs = (contract: Contract): string => (contract.kind === 'rpc' ? contract.recordedAs : undefined) ?? contract.subject;

// No role publishes on `NoInterest`: only the server's own "no responders" is ever sent. What all roles answer is recorded once.
const recorded = [...new Map(CONTRACTS.filter((contract) => contract !== NoInterest).map((one) => [recordedAs(one), one])).values()];

const partsOf = (contract: Contract): (readonly [part: keyof Golden, schema: z.ZodType])[] =>
  contract.kind === 'rpc'
    ? [
        ['requests', contract.request],
        ['replies', contract.reply],
      ]
    : [['messages', contract.message]];

const cases = recorded.flatMap((contract) =>
  partsOf(contract).map(([part, schema]) => ({
    name: `${recordedAs(contract)} ${part}`,
    part,
    schema,
    messages: GOLDEN.get(recordedAs(contract))?.[part] ?? [],
  })),
);

/** Objects whose keys are data, so that a new key is not a new field. */
const MAPS = new Set(['logit_bias', 'facts', 'parameters', 'schema', 'template_args', 'roles', 'scripts', 'data']);

/** Request objects that refuse unknown names, or keep them as data. */
const STRICT_FIELDS = new Set(['limits', 'quotas', 'settings', 'gate', 'follow', 'examples', 'graders']);

/** The same message as a newer sender would write it, with unknown fields. */
function fromTheFuture(value: unknown, strict: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((one) => fromTheFuture(one, strict));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value as Record<string, unknown>).map(([name, field]) => [
    name,
    MAPS.has(name) || strict.has(name) ? field : fromTheFuture(field, strict),
  ]);
  return { ...Object.fromEntries(fields), a_field_of_next_year: { deep: [1, null] } };
}

/** Every object within the messages, for counting kinds. */
function objectsIn(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  if (typeof value !== 'object' || value === null) return [];
  return [value as Record<string, unknown>, ...Object.values(value).flatMap(objectsIn)];
}

describe('recorded messages', () => {
  it('exist for exactly the contracts in use', () => {
    expect([...GOLDEN.keys()].toSorted()).toEqual(recorded.map(recordedAs).toSorted());
  });

  it.each(cases)('of $name are read unchanged', ({ schema, messages }) => {
    expect(messages.length).toBeGreaterThan(0);
    for (const message of messages) expect(schema.parse(message)).toEqual(message);
  });

  it.each(cases)('of $name may have unknown fields', (golden) => {
    const strict = golden.part === 'requests' ? STRICT_FIELDS : new Set<string>();
    for (const message of golden.messages) expect(golden.schema.parse(fromTheFuture(message, strict))).toEqual(message);
  });

  it.each(cases)('of $name are refused unless they are objects', ({ schema }) => {
    for (const message of [null, undefined, 1, 'text', [], true]) expect(schema.safeParse(message).success).toBe(false);
  });

  const KINDS = [
    ['frames', Frame, 'k', 'inf.{env}.v1.g.{gw}.r.{st}.{at}'],
    ['stream events', StreamEvent, 'k', 'inf.{env}.v1.g.{gw}.r.{st}.{at}'],
    ['control messages', ControlMessage, 'k', 'inf.{env}.v1.w.{wk}.ctl'],
    ['model sources', ModelSource, 'kind', 'dep.{env}.v1.wrk.{wk}'],
    ['key feed records', KeyFeedRecord, 'type', 'key.{env}.v1.chg'],
    ['deployment feed records', DeploymentFeedRecord, 'type', 'dep.{env}.v1.chg'],
  ] as const;

  it.each(KINDS)('show every kind of %s', (_, union, field, subject) => {
    const shown = new Set(objectsIn(GOLDEN.get(subject)?.messages).map((object) => object[field]));
    const kinds = union.options.map((option) => z.object({ [field]: z.unknown() }).parse(option.shape));
    const values = kinds.map((shape) => (shape[field] as z.ZodLiteral<string>).value);
    expect(values.filter((value) => !shown.has(value))).toEqual([]);
  });
});
