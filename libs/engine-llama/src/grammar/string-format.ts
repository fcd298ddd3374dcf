import { type Expr, NEVER } from './gbnf.js';
import { wholeMatch } from './regex-grammar.js';

const LEAP_YEAR = '(\\d\\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)';
const DATE = `(\\d{4}-((0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])|(0[469]|11)-(0[1-9]|[12]\\d|30)|02-(0[1-9]|1\\d|2[0-8]))|${LEAP_YEAR}-02-29)`;
const CLOCK = '([01]\\d|2[0-3]):[0-5]\\d';
const TIME = `${CLOCK}:[0-5]\\d(\\.\\d{1,9})?(Z|[+-]${CLOCK})`;
const BYTE = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const ATOM = "[A-Za-z0-9_!#$%&'*+/=?^`{|}~-]+";
const LABEL = '[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?';

/**
 * The formats of strings. `date`, `time`, `date-time` (RFC 3339, without leap seconds), `uuid` and `ipv4` are exact;
 * `email` takes the plain form `name@host.domain` and neither quoted names nor addresses of hosts.
 */
const FORMATS: ReadonlyMap<string, string> = new Map([
  ['date', DATE],
  ['time', TIME],
  ['date-time', `${DATE}T${TIME}`],
  ['uuid', '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'],
  ['ipv4', `${BYTE}(\\.${BYTE}){3}`],
  ['email', `${ATOM}(\\.${ATOM})*@(${LABEL}\\.)+${LABEL}`],
]);

/** The enforced formats. */
export const FORMAT_NAMES: readonly string[] = [...FORMATS.keys()];

/** The text of a format, which needs no JSON escapes; null = unknown format. */
export function formatText(name: string): Expr | null {
  const pattern = FORMATS.get(name);
  return pattern === undefined ? null : wholeMatch(pattern);
}

/** Longest host label in an address of this length. */
const SHORT_EMAIL_CHARS = 66;
const SHORT_EMAIL = `${ATOM}(\\.${ATOM})*@([A-Za-z0-9](-*[A-Za-z0-9])*\\.)+[A-Za-z0-9](-*[A-Za-z0-9])*`;

/** The text of a known format with at most `longest` characters. */
export function shortFormatText(name: string, max: number): { readonly expr: Expr; readonly longest: number } {
  if (name === 'email') return { expr: wholeMatch(SHORT_EMAIL), longest: Math.min(max, SHORT_EMAIL_CHARS) };
  return { expr: formatText(name) ?? NEVER, longest: max };
}
