import { ServiceError } from '@slipway/contracts';
import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { regExpOf } from './grammar/regex-dialects.js';
import { withExclusiveBounds, withNull } from './grammar/schema-dialects.js';
import { DATA_WORDS, withSchemas } from './grammar/schema-parts.js';
import { Recent } from './recent.js';

const REMEMBERED = 16;

/** Regular expressions as the grammar reads them. @throws Error for one that JavaScript cannot express. */
function regularExpression(pattern: string): RegExp {
  const made = regExpOf(pattern);
  if (made) return made;
  throw new Error(`JavaScript cannot express the pattern ${JSON.stringify(pattern.slice(0, 100))}.`);
}

const OPTIONS: Options = {
  strict: false,
  // Formats are enforced by the grammar or are annotations. The schema itself has been validated already.
  validateFormats: false,
  validateSchema: false,
  ownProperties: true,
  multipleOfPrecision: 9,
  addUsedSchema: false,
  code: { regExp: Object.assign(regularExpression, { code: '' }) },
};

/** The validator for a schema's draft: the named one, else one that knows the keywords in use. */
function validatorFor(schema: unknown): Ajv {
  const dialect = (schema as { $schema?: unknown } | null)?.$schema;
  const named = typeof dialect === 'string' ? dialect : '';
  if (/draft-0[3467]/.test(named)) return new Ajv(OPTIONS);
  // Draft 2019-09 has all keywords of the older drafts.
  const isOlder = named.includes('2019-09') || (!named.includes('2020-12') && usesOlderWords(schema));
  return isOlder ? new Ajv2019(OPTIONS) : new Ajv2020(OPTIONS);
}

function usesOlderWords(schema: unknown): boolean {
  let found = false;
  withSchemas(schema, (each) => {
    found ||= Array.isArray(each['items']) || 'additionalItems' in each || '$recursiveRef' in each;
    return each;
  });
  return found;
}

/** Removes `$schema`, which a validator would try to load. */
const anonymous = (schema: unknown): object => {
  const { $schema: _, ...rest } = schema as Record<string, unknown>;
  return rest;
};

/** Translates OpenAPI and draft 4 for validators, without the keywords that the grammar ignores. */
const inPlainWords = (schema: unknown): unknown =>
  withSchemas(schema, (each) => {
    const { id: _, ...kept } = Object.fromEntries(Object.entries(each).filter(([word, value]) => value !== null || DATA_WORDS.has(word)));
    if (typeof kept['required'] === 'boolean') delete kept['required'];
    return withNull(withExclusiveBounds(kept));
  });

/** Checks finished answers against complete schemas. */
export class SchemaChecker {
  readonly #known = new Recent<ValidateFunction>(REMEMBERED);

  /** Compiles a validator. @throws ServiceError `unsupported_value` for a schema that cannot be checked. */
  prepare(schema: unknown): ValidateFunction {
    const key = JSON.stringify(schema);
    return this.#known.get(key) ?? this.#known.put(key, compiled(schema));
  }

  /** Fault of a JSON text, in one sentence; null = none. */
  faultOf(schema: unknown, text: string): string | null {
    const validate = this.prepare(schema);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return 'It is no JSON.';
    }
    if (validate(value)) return null;
    const [error] = validate.errors ?? [];
    const { instancePath, message = 'does not fit' } = error ?? { instancePath: '' };
    return `${instancePath === '' ? 'It' : `What stands at ${instancePath.slice(0, 200)}`} ${message.slice(0, 200)}.`;
  }
}

function compiled(schema: unknown): ValidateFunction {
  try {
    return validatorFor(schema).compile(anonymous(schema));
  } catch (error) {
    return compiledInPlainWords(schema, error);
  }
}

/** @param cause why the schema cannot be compiled. */
function compiledInPlainWords(schema: unknown, cause: unknown): ValidateFunction {
  try {
    return validatorFor(schema).compile(anonymous(inPlainWords(schema)));
  } catch {
    const reason = cause instanceof Error ? cause.message.slice(0, 200) : 'unknown failure';
    throw new ServiceError('unsupported_value', `Answers cannot be checked against the schema, as "strict" asks: ${reason}`, { cause });
  }
}
