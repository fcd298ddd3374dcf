import { SETTING_CHARS_MAX } from '@slipway/contracts';
import { z } from 'zod';
import { MASK } from '../log/field-masks.js';

/** A setting as operators may see it. */
export interface ShownSetting {
  readonly name: string;
  /** As the environment holds it, or the default, without secrets; null = it has no value. */
  readonly value: string | null;
  readonly source: 'set' | 'default';
}

/** Names of settings that are secrets as a whole. */
const SECRET = /SECRET|PEPPER|PASSWORD|PASSPHRASE|(?:^|_)(?:TOKEN|KEY|CREDENTIAL)$/;
/** Paths of PEM files, whose names alone look like those of secrets. */
const FILES: ReadonlySet<string> = new Set(['NATS_KEY', 'BLOB_KEY']);

/** Whether the value of a setting is never shown. */
const isSecret = (name: string): boolean => SECRET.test(name) && !FILES.has(name);

/** Words in the names of what a value holds besides: parameters of an address, options of a program. */
const WORDS = '(?:passw(?:or)?d|pwd|secret|token|credential|signature|auth|key)';
/** From the scheme to the last @ of the authority, as URL parsers read it. */
const USER_IN_URL = /([a-z][a-z0-9+.-]*:\/\/)([^\s/?#]*)@/gi;
/** The same without a scheme, as NATS takes addresses. */
const USER_ALONE = /(^|[\s,])(?!mailto:)([^\s,:/@]+):([^\s,/]*)@/g;
const PARAMETER = new RegExp(String.raw`((?:^|[?&;,\s])[\w.%-]*${WORDS}[\w.%-]*=)([^&#\s;,]*)`, 'gi');
const OPTION = new RegExp(String.raw`((?:^|\s)--?[\w-]*${WORDS}[\w-]*(?:=|\s+))(\S+)`, 'gi');

/** A text without the passwords, keys and tokens that addresses and options in it hold. */
export const withoutSecrets = (text: string): string =>
  text
    .replace(
      USER_IN_URL,
      (_, scheme: string, user: string) => `${scheme}${user.includes(':') ? user.slice(0, user.indexOf(':') + 1) : ''}${MASK}@`,
    )
    .replace(USER_ALONE, `$1$2:${MASK}@`)
    .replace(PARAMETER, `$1${MASK}`)
    .replace(OPTION, `$1${MASK}`);

/** The defaults of a schema by name, as an environment would hold them. */
function defaultsOf(schema: z.ZodObject): Readonly<Record<string, unknown>> {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, typeof one === 'object' ? one.default : undefined]));
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/**
 * The settings of a process, in the order of its schema, for operators. Secrets do not leave the process: settings with such names
 * are masked whole, in others the passwords of addresses and what parameters and options of such names hold.
 * @param environment what the settings were read from; empty texts count as absent
 */
export function shownSettings(schema: z.ZodObject, environment: Readonly<Record<string, unknown>>): ShownSetting[] {
  const defaults = defaultsOf(schema);
  return Object.keys(schema.shape).map((name) => {
    const given = environment[name];
    const isSet = given !== undefined && given !== '';
    const value = isSet ? given : defaults[name];
    if (value === undefined || value === '') return { name, value: null, source: 'default' };
    const shown = isSecret(name) ? MASK : withoutSecrets(textOf(value)).slice(0, SETTING_CHARS_MAX);
    return { name, value: shown, source: isSet ? 'set' : 'default' };
  });
}
