import { isRecord } from '@slipway/contracts';
import type { z } from 'zod';
import { boundsOf, rulesOf } from './fields.js';
import { expectationOf, listed, wordsOf } from './expectation.js';
import { type Fault, type FaultNote, type FaultWording, type JsonObject, noteOf, type Present } from './faults.js';

/** Finds the first fault of a value; null = none. It neither changes nor copies the value. */
export type Check = (value: unknown) => Fault | null;

type Schema = z.core.$ZodTypes;
type Test = (value: unknown) => boolean;

/**
 * Makes a reader for a body, or for some of its fields, from a schema.
 * @throws ServiceError (the reader) for the first fault, in the order of the schema.
 */
export function readerOf<S extends z.ZodObject>(schema: S, wording: FaultWording): (body: JsonObject) => Present<z.output<S>> {
  const check = compile(schema);
  return (body) => {
    const fault = check(body);
    if (fault) throw wording.error(fault, wording.name(fault.path.toReversed()));
    return body as Present<z.output<S>>;
  };
}

const COMPILED = new WeakMap<z.core.$ZodType, Check>();

/**
 * Compiles a zod schema into a check of the same values. The check ends at the first fault and allocates nothing where
 * there is none; zod's own parser collects all faults and copies every object (docs/decisions/openapi-document.md).
 * @throws TypeError for a kind of schema that it does not know.
 */
export function compile(schema: z.core.$ZodType): Check {
  const known = COMPILED.get(schema);
  if (known) return known;
  const compiled = inFull(schema, checkOf(schema as Schema, noteOf(schema)));
  COMPILED.set(schema, compiled);
  return compiled;
}

function inFull(schema: z.core.$ZodType, check: Check): Check {
  const note = noteOf(schema);
  return note.whole ? wholly(check, note, expectationOf(schema)) : check;
}

function checkOf(schema: Schema, note: FaultNote): Check {
  const { def } = schema._zod;
  switch (def.type) {
    case 'optional':
      return unless((value) => value === undefined, compile(def.innerType));
    case 'nullable':
      return unless((value) => value === null, compile(def.innerType));
    case 'unknown':
      return plain(schema, note, () => true);
    case 'string':
    case 'number':
    case 'boolean':
      return plain(schema, note, (value) => typeof value === def.type);
    case 'null':
      return plain(schema, { ...note, absent: 'never' }, (value) => value === null);
    case 'enum':
    case 'literal':
      return wordCheck(schema, note);
    case 'array':
      return plain(schema, note, Array.isArray, isAnything(def.element) ? undefined : entriesCheck(compile(def.element)));
    case 'record':
      return plain(schema, note, isRecord, recordCheck(compile(def.keyType), compile(def.valueType), expectationOf(schema)));
    case 'object':
      return plain(schema, note, isRecord, membersCheck(def.shape, def.catchall));
    case 'union':
      return 'discriminator' in def ? optionCheck(schema, note) : alternativesCheck(schema, note);
    default:
      throw new TypeError(`The body of a request cannot be checked against a schema of the type ${def.type}.`);
  }
}

const isAnything = (schema: z.core.$ZodType): boolean => schema._zod.def.type === 'unknown';

const unless =
  (isFine: Test, check: Check): Check =>
  (value) =>
    isFine(value) ? null : check(value);

/** Reports every fault inside a value as one of the value. */
function wholly(check: Check, { code, says }: FaultNote, expected: string): Check {
  return (value) => {
    const fault = check(value);
    if (!fault || (fault.expected === null && fault.path.length === 0)) return fault;
    return { code: code ?? fault.code, path: [], expected, says };
  };
}

/** The fault of a value that is absent, or of the wrong type. */
function wrongOf({ absent, absentMember, code = 'invalid_type', says }: FaultNote, expected: string): (value: unknown) => Fault {
  return (value) => {
    const isMissing = absent !== 'never' && (value === undefined || (value === null && absent !== 'undefined'));
    if (!isMissing) return { code, path: [], expected, says };
    return { code: 'missing_required_parameter', path: absentMember === undefined ? [] : [absentMember], expected: null };
  };
}

/** Checks the type, the bounds, the members, and then the schema's own rules. */
function plain(schema: Schema, note: FaultNote, isType: Test, inside?: Check): Check {
  const expected = expectationOf(schema);
  const wrong = wrongOf(note, expected);
  const bounds = boundsOf(schema);
  const rules = rulesOf(schema, expected);
  if (bounds.length + rules.length === 0) {
    return inside ? (value) => (isType(value) ? inside(value) : wrong(value)) : (value) => (isType(value) ? null : wrong(value));
  }
  return (value) => {
    if (!isType(value)) return wrong(value);
    for (const bound of bounds) {
      const code = bound(value);
      if (code !== null) return { code: note.code ?? code, path: [], expected, says: note.says };
    }
    const fault = inside ? inside(value) : null;
    if (fault !== null) return fault;
    for (const rule of rules) {
      const broken = rule(value);
      if (broken !== null) return { ...broken, code: note.code ?? broken.code, says: note.says ?? broken.says };
    }
    return null;
  };
}

function wordCheck(schema: Schema, note: FaultNote): Check {
  const words = new Set<unknown>(wordsOf(schema));
  const wrong = wrongOf({ code: 'invalid_value', ...note }, expectationOf(schema));
  const { mistyped } = note;
  return (value) => {
    if (words.has(value)) return null;
    const fault = wrong(value);
    const isMistyped = mistyped !== undefined && fault.expected !== null && typeof value !== 'string';
    return isMistyped ? { code: mistyped, path: [], expected: 'a string' } : fault;
  };
}

const entriesCheck =
  (check: Check): Check =>
  (list) => {
    const entries = list as readonly unknown[];
    for (let i = 0; i < entries.length; i += 1) {
      const fault = check(entries[i]);
      if (fault !== null) return within(fault, i);
    }
    return null;
  };

function within(fault: Fault, member: string | number): Fault {
  fault.path.push(member);
  return fault;
}

/** Entry names are the client's text, so a fault names the record and no entry. */
function recordCheck(checkName: Check, check: Check, expected: string): Check {
  return (record) => {
    for (const [name, value] of Object.entries(record as JsonObject)) {
      const fault = checkName(name) ?? check(value);
      if (fault !== null) return { ...fault, path: [], expected };
    }
    return null;
  };
}

/** @param checked a member that has been checked already */
function membersCheck(shape: z.core.$ZodShape, rest: z.core.$ZodType | undefined, checked?: string): Check {
  const members = Object.entries(shape)
    .filter(([name]) => name !== checked)
    .map(([name, schema]) => ({ name, check: compile(schema), isOptional: schema._zod.def.type === 'optional' }));
  const checkRest = rest === undefined || isAnything(rest) ? null : restCheck(new Set(Object.keys(shape)), rest);
  return (value) => {
    const object = value as JsonObject;
    for (const { name, check, isOptional } of members) {
      const member = object[name];
      if (member === undefined && isOptional) continue;
      const fault = check(member);
      if (fault !== null) return within(fault, name);
    }
    return checkRest && checkRest(value);
  };
}

function restCheck(known: ReadonlySet<string>, schema: z.core.$ZodType): Check {
  const check = compile(schema);
  const { unnamed = false } = noteOf(schema);
  return (object) => {
    for (const [name, value] of Object.entries(object as JsonObject)) {
      const fault = known.has(name) ? null : check(value);
      if (fault !== null) return unnamed ? fault : within(fault, name);
    }
    return null;
  };
}

/** A union whose options are distinguished by a member. */
function optionCheck(schema: Schema, note: FaultNote): Check {
  const { discriminator, options } = schema._zod.def as z.core.$ZodDiscriminatedUnionDef;
  const wrong = wrongOf({}, 'an object');
  const named = options.flatMap((option) => {
    const { shape, catchall } = option._zod.def as z.core.$ZodObjectDef;
    const members = membersCheck(shape, catchall, discriminator);
    const check = inFull(option, plain(option as Schema, noteOf(option), isRecord, members));
    return wordsOf(shape[discriminator]).map((word) => [word, check] as const);
  });
  const checks = new Map<unknown, Check>(named);
  const wrongWord = wrongOf(
    { code: 'invalid_value', ...note },
    note.expected ?? listed(named.flatMap(([word]) => (typeof word === 'string' ? [word] : []))),
  );
  return (value) => {
    if (!isRecord(value)) return wrong(value);
    const word = value[discriminator];
    const check = checks.get(word);
    if (check) return check(value);
    const fault = wrongWord(word);
    const own = fault.expected === null ? undefined : note.unknownOption?.(value);
    if (!own) return within(fault, discriminator);
    const { member = discriminator, ...rest } = own;
    return { expected: fault.expected, ...rest, path: [member] };
  };
}

/** A union whose options are distinguished by their JSON type. */
function alternativesCheck(schema: Schema, note: FaultNote): Check {
  const { options } = schema._zod.def as z.core.$ZodUnionDef;
  const kinds = options.map((option) => [kindOf(option), compile(option)] as const);
  const checks = new Map(kinds);
  if (checks.size < options.length) throw new TypeError('Two options of a union in the body of a request have the same JSON type.');
  const wrong = wrongOf(note, expectationOf(schema));
  // Most contents are strings, and a conversation may have thousands.
  const text = checks.get('string') ?? wrong;
  return (value) => (typeof value === 'string' ? text(value) : (checks.get(jsonTypeOf(value)) ?? wrong)(value));
}

type JsonType = 'string' | 'number' | 'boolean' | 'array' | 'object' | 'null' | 'undefined';

function jsonTypeOf(value: unknown): JsonType {
  const type = typeof value as JsonType;
  if (type !== 'object') return type;
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : 'object';
}

function kindOf(schema: z.core.$ZodType): JsonType {
  const { def } = (schema as Schema)._zod;
  if (def.type === 'enum' || def.type === 'literal') return jsonTypeOf(wordsOf(schema)[0]);
  if (def.type === 'record' || def.type === 'union') return 'object';
  return def.type as JsonType;
}
