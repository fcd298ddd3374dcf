import { type ErrorCode, type InferenceErrorCode, isInferenceErrorCode, ServiceError } from '@slipway/contracts';
import { z } from 'zod';
import type { FieldNames } from '../surface.js';

/** A JSON object of a request. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
/** Null means absent in every optional field of every contract. */
export const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;

/** A body without the fields that are null. */
export type Present<T> = { [K in keyof T]: Exclude<T[K], null> };

/** @returns the body itself where no field of it is null. */
export function withoutNulls(body: JsonObject): JsonObject {
  const hasNull = Object.values(body).includes(null);
  return hasNull ? Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) : body;
}

/** What is wrong with a value of a body, in no contract's words. */
export interface Fault {
  readonly code: ErrorCode;
  /** From the value up to the body: the innermost name or index stands first. */
  readonly path: (string | number)[];
  /** What the value must be, such as `a string`; null = it is absent and must not be. */
  readonly expected: string | null;
  /** In place of what was expected: a sentence, or what follows the field's name, which begins with a small letter. */
  readonly says?: string | undefined;
}

/** What a schema says of its faults beyond what its type tells. A note belongs to the schema inside `optional` and `nullable`. */
export interface FaultNote {
  /** Code of a value that is wrong, in place of that of its kind of fault; an absent value keeps its own. */
  readonly code?: ErrorCode;
  /** What the value must be, in place of the wording made from the schema. */
  readonly expected?: string;
  /** In place of what was expected, as in a fault. */
  readonly says?: string;
  /** Values that count as absent where one is required; default: null and undefined. */
  readonly absent?: 'undefined' | 'never';
  /** An absent object is reported as the lack of this member. */
  readonly absentMember?: string;
  /** A fault inside the value is reported as one of the value itself. */
  readonly whole?: true;
  /** Of members that the schema does not name: a fault of one is reported as one of the object, as names are the client's own text. */
  readonly unnamed?: true;
  /** Code of a value that is no string where words are expected; default: that of an unknown word. */
  readonly mistyped?: ErrorCode;
  /** The fault of an object whose discriminator names none of a union's options; undefined = as any unknown word. */
  readonly unknownOption?: (object: JsonObject) => UnknownOption | undefined;
  /** The OpenAPI document does not show the field: it is only ever refused. */
  readonly hidden?: true;
}

export interface UnknownOption {
  readonly code: ErrorCode;
  /** Default: the discriminator. */
  readonly member?: string;
  readonly expected?: string | null;
  readonly says?: string;
}

const NOTES = z.registry<FaultNote>();

/** Notes what the faults of a schema are called. @returns the same schema. */
export function noted<S extends z.ZodType>(schema: S, note: FaultNote): S {
  NOTES.add(schema, note);
  return schema;
}

export const noteOf = (schema: z.core.$ZodType): FaultNote => NOTES.get(schema) ?? {};

/** How a public contract words faults. */
export interface FaultWording {
  /** A path from the body down, such as `messages[0].role`. */
  name(path: readonly (string | number)[]): string;
  /** The error of a fault. @param param the name of the field. */
  error(fault: Fault, param: string): ServiceError;
}

/** The error of an engine, with the field that it names called as the client called it. */
export function withClientFieldNames(error: ServiceError, names: FieldNames): ServiceError {
  const { code, message, param, retryAfterS, facts, cause } = error;
  const name = param?.replace(/[.[].*$/, '');
  const own = name !== undefined && Object.hasOwn(names, name) ? names[name] : undefined;
  // Places within a field are the engine's, not the client's.
  return own === undefined ? error : new ServiceError(code, message, { param: own, retryAfterS, facts, cause });
}

/** The code that a client sees: a code of the control plane is an internal fault here. */
export const publicCode = ({ code }: ServiceError): InferenceErrorCode => (isInferenceErrorCode(code) ? code : 'internal');
