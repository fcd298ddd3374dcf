import {
  type AuditEntry,
  ListAudit,
  ListDeploymentAudit,
  ListTuningAudit,
  ReadAudit,
  ReadDeploymentAudit,
  ReadTuningAudit,
  type SealedAuditEntry,
} from '@slipway/contracts';
import { Option } from 'commander';
import { z } from 'zod';
import { findAccountOnce } from '../accounts/find-account.js';
import { CliError, UsageError } from '../cli-errors.js';
import { ACCOUNT, type Call, command, group } from '../command.js';
import { isAbsent } from '../session/connect.js';
import { OPERATOR, type Session } from '../session/session.js';
import { tableOr } from '../table.js';
import { whole } from '../values.js';
import { ChainCheck, type ChainHead } from './audit-chain.js';

const who = ({ actor, actor_id: id, actor_name: name }: AuditEntry): string => name ?? (id === null ? actor : `${actor} ${id}`);
const what = ({ object, object_name: name }: AuditEntry): string => (name === null ? object : `${object} (${name})`);
const where = ({ address, client }: AuditEntry): string => [address, client].filter((text) => text !== null).join(' ');
const details = ({ facts }: AuditEntry): string =>
  Object.entries(facts)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

const DEPLOYMENTS = new Option('--deployments', 'the log of deployments and aliases, instead of people, sign-ins and keys');
const TUNING = new Option('--tuning', 'the log of data sets, jobs and adapters').conflicts('deployments');

interface LogValues {
  readonly deployments?: true;
  readonly tuning?: true;
}

const list = command('list', 'Lists what was done in an account, newest first: at most 200 entries.')
  .takes(DEPLOYMENTS, TUNING)
  .option('--before <N>', 'only entries with lower numbers', whole(z.int().positive()))
  .takes(ACCOUNT)
  .plans(({ options: { deployments, tuning, before } }: Call<LogValues & { before?: number }>) => async (session) => {
    const account = await findAccountOnce(session);
    const wanted = { account: account.id, ...(before !== undefined && { before }) };
    const other = tuning ? ListTuningAudit : deployments && ListDeploymentAudit;
    const page = other ? await session.call(other, wanted) : await session.call(ListAudit, { ...wanted, actor: OPERATOR });
    const rows = page.entries.map((entry) => [entry.id, entry.at, who(entry), entry.action, what(entry), where(entry), details(entry)]);
    const text = tableOr('No entries.', ['ID', 'AT', 'WHO', 'ACTION', 'WHAT', 'FROM', 'DETAILS'], rows);
    const more = page.next === null ? undefined : `There are older entries: --before ${page.next} lists them.`;
    return { json: { account: account.slug, ...page }, text, note: more };
  });

/** The logs, each with a chain of its own. */
const LOGS = { keys: ReadAudit, deployments: ReadDeploymentAudit, tuning: ReadTuningAudit } as const;
type LogName = keyof typeof LOGS;

interface Page {
  readonly entries: readonly SealedAuditEntry[];
  readonly unsealed: readonly number[];
}

/** All entries of a log with numbers above `after`, page by page. */
async function* pagesOf(session: Session, log: LogName, after = 0): AsyncGenerator<Page> {
  for (let seq = after; ;) {
    const page = await session.call(LOGS[log], { after: seq });
    yield page;
    const last = page.entries.at(-1);
    if (!last) return;
    seq = last.seq;
  }
}

/** Reads `SEQ:HASH`. @throws UsageError */
function chainHead(text: string): ChainHead {
  const match = /^([1-9][0-9]*):([0-9a-f]{64})$/.exec(text);
  if (!match) throw new UsageError('It takes NUMBER:HASH, as "audit verify" prints it.');
  return { seq: Number(match[1]), hash: match[2] ?? '' };
}

async function checkLog(
  session: Session,
  log: LogName,
  anchor: ChainHead | null = null,
): Promise<{ head: ChainHead; fault: string | null }> {
  const check = new ChainCheck(anchor);
  let unsealed: readonly number[] = [];
  for await (const page of pagesOf(session, log)) {
    for (const entry of page.entries) check.take(entry);
    ({ unsealed } = page);
  }
  return { head: check.head, fault: check.fault(unsealed) };
}

const verify = command(
  'verify',
  'Checks that no entry of the audit logs was changed, removed or inserted: every hash is computed again.',
  'Keep what it prints somewhere else. With --keys-head, --deployments-head and --tuning-head the next check also finds a log that was cut short or written anew.',
)
  .option('--keys-head <NUMBER:HASH>', 'an entry that the log of people, sign-ins and keys must contain', chainHead)
  .option('--deployments-head <NUMBER:HASH>', 'the same for deployments and aliases', chainHead)
  .option('--tuning-head <NUMBER:HASH>', 'the same for data sets, jobs and adapters', chainHead)
  .plans(({ options }: Call<{ keysHead?: ChainHead; deploymentsHead?: ChainHead; tuningHead?: ChainHead }>) => async (session) => {
    const keys = await checkLog(session, 'keys', options.keysHead);
    const deployments = await checkLog(session, 'deployments', options.deploymentsHead);
    const tuning = await checkTuning(session, options.tuningHead);
    const logs = { keys, deployments, ...(tuning && { tuning }) };
    const faults = Object.entries(logs).flatMap(([log, { fault }]) => (fault === null ? [] : [`${log}: ${fault}`]));
    if (faults.length > 0) throw new CliError('audit_broken', `The audit log does not hold. ${faults.join(' ')}`);
    const heads = Object.entries(logs).map(([log, { head }]) => [log, head] as const);
    const lines = heads.map(([log, { seq, hash }]) => (seq === 0 ? `${log}: empty` : `--${log}-head ${seq}:${hash}`));
    const note = tuning ? undefined : 'tuning-service does not run: its log was not checked.';
    return { json: Object.fromEntries(heads), text: `The audit logs are whole.\n${lines.join('\n')}\n`, note };
  });

/** Null where no tuning-service runs and no head of its log was given. */
async function checkTuning(session: Session, anchor: ChainHead | undefined): Promise<Awaited<ReturnType<typeof checkLog>> | null> {
  try {
    return await checkLog(session, 'tuning', anchor);
  } catch (error) {
    if (anchor === undefined && isAbsent(error)) return null;
    throw error;
  }
}

const FIELDS = [
  ...['id', 'at', 'account', 'action', 'actor', 'actor_id', 'actor_name', 'object', 'object_name'],
  ...['address', 'client', 'facts'],
] as const;

/** An entry with its fields by name, and with the text that its hash covers. */
function exported(log: LogName, { seq, hash, text }: SealedAuditEntry): object {
  const values = text === null ? [] : (JSON.parse(text) as unknown[]);
  return { log, seq, hash, text, ...Object.fromEntries(FIELDS.map((name, i) => [name, values[i] ?? null])) };
}

const exportLog = command(
  'export',
  "Prints a whole audit log, all accounts' and the operator's own entries, oldest first: one JSON object a line.",
)
  .takes(DEPLOYMENTS, TUNING)
  .option('--after <N>', 'only entries above this number: where the last export ended', whole(z.int().nonnegative()))
  .plans(({ options, terminal }: Call<LogValues & { after?: number; json?: true }>) => {
    const other = options.tuning ? 'tuning' : options.deployments && 'deployments';
    const log: LogName = other ?? 'keys';
    const [opening, between, closing] = options.json ? ['{"entries":[', ',', ']}\n'] : ['', '\n', '\n'];
    return async (session) => {
      // A log may be larger than the memory: each page is printed as it comes.
      let before = opening;
      for await (const { entries } of pagesOf(session, log, options.after)) {
        const lines = entries.map((entry) => JSON.stringify(exported(log, entry))).join(between);
        if (lines !== '') await terminal.print(`${before}${lines}`);
        if (lines !== '') before = between;
      }
      await terminal.print(before === between ? closing : `${opening}${closing}`);
      return null;
    };
  });

export const audit = group('audit', 'Reads and checks the audit log.', [list, verify, exportLog]);
