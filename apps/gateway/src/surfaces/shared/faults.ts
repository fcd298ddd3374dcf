import { type ErrorCode, type InferenceErrorCode, isInferenceErrorCode, ServiceError } from '@slipway/contracts';
import { z } from 'zod';
import type { FieldNames } from '../surface.js';

/** A JSON object of a request. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Null means absent in every optional field of every contract. */
export const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;

/** A body without the fields that are null. */
export type Present<T> = { [K in keyof T]: Exclude<T[K], null> };

/** @returns the body itself where no field of it is null. */
export function withoutNulls(body: JsonObject): JsonObject {
  const hasNull = Object.values(body).includes(null);
  return hasNull ? Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) : body;
}

/** A fault of a value in a body, independent of the contract. */
export interface Fault {
  readonly code: ErrorCode;
  /** Path from the value up to the body, innermost name or index first. */
  readonly path: (string | number)[];
  /** What the value must be, such as `a string`; null = it is required and absent. */
  readonly expected: string | null;
  /** Replaces `expected`: a sentence, or lower-case text that follows the field's name. */
  readonly says?: string | undefined;
}

/** Details of a schema's faults. A note belongs to the schema inside `optional` and `nullable`. */
export interface FaultNote {
  /** Code of a wrong value, in place of the default; an absent value keeps its own code. */
  readonly code?: ErrorCode;
  /** What the value must be, in place of the text made from the schema. */
  readonly expected?: string;
  /** Replaces `expected`, as in a fault. */
  readonly says?: string;
  /** Values that count as absent where one is required; default: null and undefined. */
  readonly absent?: 'undefined' | 'never';
  /** An absent object is reported as the lack of this member. */
  readonly absentMember?: string;
  /** Reports a fault inside the value as one of the value itself. */
  readonly whole?: true;
  /** For members that the schema does not name: reports a fault as one of the object, since names are the client's text. */
  readonly unnamed?: true;
  /** Code of a value that is not a string where an enum is expected; default: that of an unknown word. */
  readonly mistyped?: ErrorCode;
  /** The fault of an object whose discriminator names none of a union's options; undefined = as any unknown word. */
  readonly unknownOption?: (object: JsonObject) => UnknownOption | undefined;
  /** Leaves the field out of the OpenAPI document: it is always rejected. */
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

/** Attaches a note to a schema. @returns the same schema. */
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

/** An engine's error with the client's name of its field. */
export function withClientFieldNames(error: ServiceError, names: FieldNames): ServiceError {
  const { code, message, param, retryAfterS, facts, cause } = error;
  const name = param?.replace(/[.[].*$/, '');
  const own = name !== undefined && Object.hasOwn(names, name) ? names[name] : undefined;
  // Positions within a field are the engine's, not the client's.
  return own === undefined ? error : new ServiceError(code, message, { param: own, retryAfterS, facts, cause });
}

/** The public code of an error; codes of the control plane become `internal`. */
export const publicCode = ({ code }: ServiceError): InferenceErrorCode => (isInferenceErrorCode(code) ? code : 'internal');
