import type { ErrorCode, TextPart } from '@slipway/contracts';
import { HostList } from '@slipway/platform';
import { z } from 'zod';
import { type Fault, type FaultNote, isAbsent, noted } from './faults.js';

/** Largest count of engines, which use signed 32-bit integers. */
export const MAX_INT32 = 2 ** 31 - 1;

/** Most characters of a JSON schema; engines compile larger ones too slowly. */
const MAX_SCHEMA_CHARS = 256 * 1024;

/** Sampling fields of both contracts. The messages contract ends at temperature 1; open models go above it. */
export const temperature = z.number().min(0).max(2);
export const topP = z.number().min(0).max(1);

/** The name of a deployment. A value of another type counts as absent. */
export const modelName = noted(z.string().min(1), { code: 'missing_required_parameter', expected: 'the name of a deployment' });

/** A tool's name as in both contracts, and with dots, which MCP servers use. */
export const toolName = noted(z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/), {
  expected: '1 to 128 letters, digits, dots, dashes and underscores',
});

/** A JSON schema in a request. @param shape its members that are checked. */
export const jsonSchema = <S extends z.core.$ZodLooseShape>(shape: S): z.ZodObject<S, z.core.$loose> =>
  noted(
    z.looseObject(shape).refine((schema) => JSON.stringify(schema).length <= MAX_SCHEMA_CHARS, {
      error: `must be at most ${MAX_SCHEMA_CHARS} characters of JSON`,
    }),
    { expected: 'an object' },
  );

/** An enum; a value of another type gets `invalid_type`. */
export const keyword = <const W extends readonly [string, ...string[]]>(
  words: W,
  note: FaultNote = {},
): z.ZodEnum<{ [K in W[number]]: K }> => noted(z.enum(words), { mistyped: 'invalid_type', ...note });

/** A field that is documented but not checked, because it has no effect. */
export const unchecked = (type: 'string' | 'object'): z.ZodOptional<z.ZodUnknown> =>
  z
    .unknown()
    .meta({ type: [type, 'null'] })
    .optional();

/** True for null, undefined, and an empty object or array. */
export const isEmpty = (value: unknown): boolean => isAbsent(value) || (typeof value === 'object' && Object.keys(value).length === 0);

/**
 * A field that would change the answer and is not supported: it is rejected, never ignored.
 * @param isHarmless accepts values without an effect; default: none.
 */
export const notOffered = (
  isHarmless: (value: unknown) => boolean = () => false,
  note: FaultNote = {},
): z.ZodOptional<z.ZodNullable<z.ZodUnknown>> =>
  noted(z.unknown().refine(isHarmless, { params: { code: 'unsupported_parameter' } }), {
    says: 'is not supported; send the request without it',
    hidden: true,
    ...note,
  }).nullish();

/** The same; an empty list or object is accepted. */
export const notOfferedUnlessEmpty = (): z.ZodOptional<z.ZodNullable<z.ZodUnknown>> => notOffered(isEmpty);

/** The same; these values are accepted. */
export const notOfferedUnless = (...harmless: readonly unknown[]): z.ZodOptional<z.ZodNullable<z.ZodUnknown>> =>
  notOffered((value) => harmless.includes(value));

/** Index of the first entry with the name of an earlier one; -1 = none. */
export function firstRepeated(list: readonly { readonly name: string }[]): number {
  const names = new Set<string>();
  return list.findIndex(({ name }) => names.size === names.add(name).size);
}

export const textPart = (text: string): TextPart => ({ type: 'text', text });

const LONE_SURROGATES = /\p{Surrogate}/gu;

/** A text as a JSON string. A lone surrogate, which no client can decode, becomes the replacement character. */
export function jsonText(text: string): string {
  const json = JSON.stringify(text);
  // JSON.stringify escapes lone surrogates only; searching for the escape is cheaper than checking each character.
  return json.includes('\\ud') ? JSON.stringify(wholeCharacters(text)) : json;
}

/** @returns the text with each lone surrogate replaced. */
export const wholeCharacters = (text: string): string => text.replace(LONE_SURROGATES, '\ufffd');

/** True when a text ends with a high surrogate, whose low one may follow. */
export function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}

type Schema = z.core.$ZodTypes;
type Bound = (value: never) => ErrorCode | null;

const checksOf = ({ _zod: { def } }: Schema): readonly z.core.$ZodChecks[] => {
  // `z.int()` is a check as well as a schema.
  const own = 'check' in def ? [{ _zod: { def } } as unknown as z.core.$ZodChecks] : [];
  return [...own, ...((def.checks ?? []) as z.core.$ZodChecks[])];
};

/** The bounds of a schema: each returns the code for a value that violates it, or null. */
export function boundsOf(schema: Schema): ((value: unknown) => ErrorCode | null)[] {
  const isList = schema._zod.def.type === 'array';
  return checksOf(schema).flatMap((check) => (boundOf(check, isList) ?? []) as (value: unknown) => ErrorCode | null);
}

function boundOf({ _zod: { def } }: z.core.$ZodChecks, isList: boolean): Bound | null {
  const tooShort = isList ? 'empty_array' : 'missing_required_parameter';
  const tooLong = isList ? 'array_above_max_length' : 'invalid_value';
  switch (def.check) {
    case 'min_length':
      return ({ length }: string) => (length < def.minimum ? tooShort : null);
    case 'max_length':
      return ({ length }: string) => (length > def.maximum ? tooLong : null);
    case 'string_format':
      return (text: string) => (def.pattern?.test(text) === false ? 'invalid_value' : null);
    case 'number_format':
      return (value: number) => (Number.isInteger(value) ? unsafe(value) : 'invalid_type');
    case 'greater_than': {
      const { value: min, inclusive } = def;
      return (value: number) => (value > Number(min) || (inclusive && value === min) ? null : tooSmall(value));
    }
    case 'less_than':
      return (value: number) => (value > Number(def.value) ? 'invalid_value' : null);
    default:
      if (isRule(def)) return null;
      throw new TypeError(`The body of a request cannot be checked for ${def.check}.`);
  }
}

const tooSmall = (value: number): ErrorCode => (Number.isInteger(value) ? 'integer_below_min_value' : 'invalid_value');

function unsafe(value: number): ErrorCode | null {
  if (Number.isSafeInteger(value)) return null;
  return value > 0 ? 'invalid_value' : 'integer_below_min_value';
}

const isRule = (def: object): def is z.core.$ZodCustomDef => 'fn' in def;

/** Rules given by `refine`: `params` may hold the code, and `error` the text. */
export function rulesOf(schema: Schema, expected: string): ((value: unknown) => Fault | null)[] {
  return checksOf(schema).flatMap(({ _zod }) => {
    const def: object = _zod.def;
    if (!isRule(def)) return [];
    const { fn, error, params, path = [] } = def;
    const code = ((params?.['code'] as ErrorCode | undefined) ?? 'invalid_value') satisfies ErrorCode;
    return (value: unknown) => {
      if (fn(value)) return null;
      const words = error?.({ code: 'custom', input: value, path: [], message: '' } as never);
      return { code, path: [...(path as string[])].toReversed(), expected, says: typeof words === 'string' ? words : undefined };
    };
  });
}

/** The image URL for a worker, or its fault as the end of a sentence that begins with the field. */
type ImageSource = { readonly url: string } | { readonly fault: string };

const DATA_URL_HEAD = /^data:image\/(png|jpeg|jpg|webp|gif);base64,/i;
const NOT_BASE64 = /[^A-Za-z0-9+/]/;

/**
 * Checks the URL of an image in a message. Workers fetch it, and only from these hosts.
 * @param hosts hosts that the operator allows images to be fetched from, as a `HostList` reads them.
 */
export function imageSource(url: string, hosts: readonly string[]): ImageSource {
  return /^data:/i.test(url) ? fromDataUrl(url) : fromRemoteUrl(url, hosts);
}

function fromDataUrl(url: string): ImageSource {
  const head = DATA_URL_HEAD.exec(url);
  if (!head) return { fault: 'must be a data: URL of an image/png, image/jpeg, image/webp or image/gif in base64' };
  const data = url.slice(head[0].length);
  const digits = data.replace(/={1,2}$/, '');
  if (digits === '' || data.length % 4 !== 0 || NOT_BASE64.test(digits)) return { fault: 'holds data that is not valid base64' };
  const type = head[1]?.toLowerCase() === 'jpg' ? 'jpeg' : head[1]?.toLowerCase();
  return { url: `data:image/${type};base64,${data}` };
}

function fromRemoteUrl(url: string, hosts: readonly string[]): ImageSource {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isAllowed = parsed?.protocol === 'https:' && `${parsed.username}${parsed.password}` === '' && listOf(hosts).allows(parsed);
  if (isAllowed) return { url: parsed.href };
  const allowed = hosts.length === 0 ? '' : `, or an https URL on ${hosts.join(', ')}`;
  return { fault: `must be a data: URL with the image in base64${allowed}; no other address is fetched` };
}

/** One parsed list for each array; the configured array never changes. */
const lists = new WeakMap<readonly string[], HostList>();

function listOf(hosts: readonly string[]): HostList {
  const known = lists.get(hosts) ?? new HostList(hosts);
  lists.set(hosts, known);
  return known;
}
