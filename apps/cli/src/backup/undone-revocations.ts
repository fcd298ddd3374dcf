import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { CliError } from '../cli-errors.js';
import { tableOr } from '../table.js';

/** A line of `npx slipway audit export`, as far as it is read. */
interface ExportedEntry {
  readonly log: string;
  readonly seq: number;
  readonly hash: string;
  readonly at: string;
  readonly account: number | null;
  readonly action: string;
  readonly object: string;
  readonly object_name: string | null;
}

/** What the restore undid. */
export interface Undone {
  readonly at: string;
  /** Slug of the account, or its number where the export does not begin before the account; null = none. */
  readonly account: string | null;
  readonly action: string;
  readonly object: string;
  readonly name: string | null;
  /** What to do about it. */
  readonly advice: string;
}

/** Place in the chain of the audit log. */
export interface AuditHead {
  readonly seq: number;
  readonly hash: string;
}

const keyNumber = (object: string): string => object.replace(/^key:/, '');
const accountOption = (account: string | null): string =>
  account === null || /^\d+$/.test(account) ? ' --account …' : ` --account ${account}`;

/** What takes somebody's access away, and so comes back with the restore; with the command that takes it away again. */
const ADVICE: Readonly<Record<string, (entry: ExportedEntry, account: string | null) => string>> = {
  'key.revoke': ({ object }, account) => `npx slipway keys revoke ${keyNumber(object)}${accountOption(account)}`,
  'key.rotate': ({ object }, account) => `npx slipway keys rotate ${keyNumber(object)}${accountOption(account)}`,
  'mcp_key.rotate': (_, account) => `npx slipway keys mcp rotate${accountOption(account)}`,
  'key.expiry': () => 'set its expiry again',
  'key.deployments': () => 'set its deployments again',
  'account.suspend': (_, account) => `npx slipway accounts suspend ${account ?? '…'}`,
  'account.delete': (_, account) => `npx slipway accounts delete ${account ?? '…'}`,
  'member.remove': () => 'remove the person from the account again',
  'member.role': () => 'set the role again',
  'user.delete': () => 'delete the person again',
  'user.suspend': () => 'suspend the person again',
  'password.change': () => 'the old password is good again: have it changed',
  'password.reset': () => 'the old password is good again: have it changed',
  'worker.expel': ({ object }) => `npx slipway workers expel ${object.replace(/^worker:/, '')}`,
  'signing_key.rotate': () => 'npx slipway sessions rotate-key --revoke-old',
};

function entryOf(line: string, no: number, path: string): ExportedEntry {
  try {
    const entry = JSON.parse(line) as ExportedEntry;
    if (typeof entry.seq === 'number' && typeof entry.action === 'string' && typeof entry.object === 'string') return entry;
  } catch {
    // The same answer as for a line of another kind.
  }
  throw new CliError('wrong_audit', `${path}:${no} is no line of "npx slipway audit export".`);
}

/** Gathers what an export says, line by line. */
export class UndoneRevocations {
  readonly #slugs = new Map<number, string>();
  /** Objects that were made after the backup: after the restore they do not exist. */
  readonly #new = new Set<string>();
  readonly #found: ExportedEntry[] = [];

  /** @param head the newest entry in the backup; null = it has none */
  constructor(private readonly head: AuditHead | null) {}

  /** @throws CliError `wrong_audit` for an export of another log */
  take(entry: ExportedEntry): void {
    if (entry.log !== 'keys') return;
    this.#learnSlug(entry);
    const { seq, hash } = this.head ?? { seq: 0, hash: '' };
    if (entry.seq === seq && entry.hash !== hash) {
      throw new CliError('wrong_audit', `Entry ${seq} of the export is another one than in the backup: it is not the same log.`);
    }
    if (entry.seq > seq) this.#takeLater(entry);
  }

  #learnSlug({ action, account, object_name: slug }: ExportedEntry): void {
    if (action === 'account.create' && account !== null && slug !== null) this.#slugs.set(account, slug);
  }

  #takeLater(entry: ExportedEntry): void {
    if (/\.(create|set_up_link|join)$/.test(entry.action)) this.#new.add(entry.object);
    if (Object.hasOwn(ADVICE, entry.action) && !this.#new.has(entry.object)) this.#found.push(entry);
  }

  /** What the restore undoes, oldest first; of several changes of one thing the last. */
  get list(): Undone[] {
    const last = new Map(this.#found.map((entry) => [`${entry.object} ${entry.action}`, entry]));
    const isRevoked = (object: string): boolean => last.has(`${object} key.revoke`);
    const kept = [...last.values()].filter(({ action, object }) => action === 'key.revoke' || !isRevoked(object));
    return kept
      .sort((a, b) => a.seq - b.seq)
      .map((entry) => {
        const { at, action, object, object_name: name } = entry;
        const account = entry.account === null ? null : (this.#slugs.get(entry.account) ?? String(entry.account));
        return { at, account, action, object, name, advice: ADVICE[action]?.(entry, account) ?? '' };
      });
  }
}

/** What a restore undoes, by an export of the audit log of keys-service. @throws CliError `wrong_audit` */
export async function undoneBy(path: string, head: AuditHead | null): Promise<Undone[]> {
  const undone = new UndoneRevocations(head);
  let no = 0;
  try {
    for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
      no += 1;
      if (line.trim() !== '') undone.take(entryOf(line, no, path));
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('wrong_audit', `${path} cannot be read: ${(error as Error).message}`, {}, { cause: error });
  }
  return undone.list;
}

/** The list for people. */
export const undoneText = (undone: readonly Undone[]): string =>
  tableOr(
    'By the audit log nobody lost access after the backup.',
    ['AT', 'ACCOUNT', 'WAS', 'WHAT', 'NAME', 'DO'],
    undone.map(({ at, account, action, object, name, advice }) => [at, account, action, object, name, advice]),
  );
