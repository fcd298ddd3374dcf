import { parseArgs } from 'node:util';
import { CONTRACTS, type ContractName, OTHERS, type OtherName } from './case.js';
import type { TargetAddress } from './target.js';

/** What a person asks of the tool. */
export interface Options {
  readonly url: string;
  readonly key: string;
  /** Undefined = the first one that the target lists. */
  readonly model: string | undefined;
  readonly contracts: readonly ContractName[];
  /** Numbers to run; undefined = all. */
  readonly cases: ReadonlySet<number> | undefined;
  readonly json: string | undefined;
  readonly store: boolean;
  readonly engine: { readonly port: number; readonly host: string } | undefined;
  readonly others: Readonly<Partial<Record<OtherName, Omit<TargetAddress, 'key'>>>>;
  readonly spareKeys: readonly string[];
  /** A shell command that revokes the key in its environment variable SPARE_KEY. */
  readonly revoke: string | undefined;
  /** That command gets it, too. */
  readonly environment: NodeJS.ProcessEnv;
}

/** A command line that cannot be read. */
export class UsageError extends Error {}

const otherLines = Object.entries(OTHERS).map(([name, words]) => `                          ${name}: ${words}`);

export const USAGE = `Usage: npm run conformance -- --target URL --key KEY [options]

  --target URL            a deployment, or any server; without /v1
  --key KEY               the key; otherwise CONFORMANCE_KEY of the environment, which npm does not print
  --model NAME            what requests name; otherwise the first model that the target lists
  --contract NAME         ${CONTRACTS.join(', ')}; may be repeated; otherwise all
  --case 12,14-16         these numbers only
  --json FILE             writes the result as JSON besides
  --engine-port PORT      starts the scripted engine there; the target must use it as its engine (docs/conformance.md)
  --engine-host ADDRESS   where it listens; otherwise 127.0.0.1
  --store                 the deployment keeps answers of the responses contract
  --also NAME=URL[#MODEL] another deployment; may be repeated. NAME is
${otherLines.join('\n')}
  --spare-key KEY         a key that a case may have revoked; may be repeated
  --revoke COMMAND        a shell command that revokes the key in $SPARE_KEY
  --list, --help          print all cases, or this text, and do nothing else

The exit code is 0 when no case failed, 1 when one did, 2 when nothing could be run.`;

const FORM = {
  target: { type: 'string' },
  key: { type: 'string' },
  model: { type: 'string' },
  contract: { type: 'string', multiple: true },
  case: { type: 'string' },
  json: { type: 'string' },
  'engine-port': { type: 'string' },
  'engine-host': { type: 'string', default: '127.0.0.1' },
  store: { type: 'boolean', default: false },
  also: { type: 'string', multiple: true },
  'spare-key': { type: 'string', multiple: true },
  revoke: { type: 'string' },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** Reads a command line, and CONFORMANCE_KEY where it has no key; `list` and `help` ask for these texts alone. @throws UsageError */
export function readOptions(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Options | 'list' | 'help' {
  const values = parsed(args);
  if (values.help) return 'help';
  if (values.list) return 'list';
  const { target, key = environment['CONFORMANCE_KEY'], case: cases, 'engine-port': port } = values;
  if (target === undefined || !URL.canParse(target)) throw new UsageError('--target needs an address such as http://localhost:8000.');
  if (key === undefined) throw new UsageError('--key or CONFORMANCE_KEY is missing; a server without keys takes any word.');
  return {
    ...{ url: target, key, model: values.model, json: values.json, store: values.store, environment },
    ...revocationOf(values['spare-key'] ?? [], values.revoke),
    contracts: contractsOf(values.contract ?? []),
    cases: numbersIn(cases),
    engine: port === undefined ? undefined : { port: wholeNumber(port), host: values['engine-host'] },
    others: Object.fromEntries((values.also ?? []).map(otherOf)),
  };
}

function revocationOf(spareKeys: readonly string[], revoke: string | undefined): Pick<Options, 'spareKeys' | 'revoke'> {
  if (spareKeys.length > 0 && revoke === undefined) throw new UsageError('--spare-key needs --revoke.');
  return { spareKeys, revoke };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: FORM }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function contractsOf(names: readonly string[]): readonly ContractName[] {
  const unknown = names.find((name) => !CONTRACTS.some((known) => known === name));
  if (unknown !== undefined) throw new UsageError(`There is no contract "${unknown}"; there are ${CONTRACTS.join(', ')}.`);
  return names.length === 0 ? CONTRACTS : CONTRACTS.filter((name) => names.includes(name));
}

const numbersIn = (cases: string | undefined): ReadonlySet<number> | undefined =>
  cases === undefined ? undefined : new Set(cases.split(',').flatMap(rangeOf));

function rangeOf(text: string): number[] {
  const [first = '', last = first] = text.split('-');
  const from = wholeNumber(first);
  return Array.from({ length: Math.max(0, wholeNumber(last) - from + 1) }, (_, i) => from + i);
}

function wholeNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new UsageError(`"${text}" is not a number from 0 to 99999.`);
  return Number(text);
}

function otherOf(text: string): [OtherName, Omit<TargetAddress, 'key'>] {
  const [, name = '', address = ''] = /^([a-z]+)=(.+)$/.exec(text) ?? [];
  if (!Object.hasOwn(OTHERS, name) || !URL.canParse(address)) throw new UsageError(`--also needs NAME=URL, not "${text}".`);
  const url = new URL(address);
  const model = decodeURIComponent(url.hash.slice(1)) || (url.pathname.split('/').findLast((part) => part !== '') ?? '');
  url.hash = '';
  return [name as OtherName, { url: url.href, model }];
}
