import { AccountId, AccountSlug, FindAccount, ListAccounts } from '@slipway/contracts';
import type { z } from 'zod';
import { CliError } from '../cli-errors.js';
import type { Account, Session } from '../session/session.js';
import { checkedBy } from '../values.js';

/** Account that `npm start` makes. */
const LOCAL = 'local';

export type ListedAccount = z.output<typeof ListAccounts.reply>['accounts'][number];

/** Reads an account's slug. @throws UsageError */
export const accountSlug = checkedBy(
  AccountSlug,
  (text) =>
    `"${text}" is no slug of an account: 3 to 40 lower-case letters, digits and hyphens, beginning with a letter, and none that is reserved.`,
);
export type AccountSlug = z.output<typeof AccountSlug>;

/** All accounts, oldest first. */
export async function allAccounts(session: Session): Promise<ListedAccount[]> {
  const accounts: ListedAccount[] = [];
  let after: AccountId | undefined;
  for (;;) {
    const page = await session.call(ListAccounts, after === undefined ? {} : { after });
    accounts.push(...page.accounts);
    if (page.next === null) return accounts;
    after = page.next;
  }
}

/** The account that a command works in: the one named, else the only one, else `local`. */
export async function findAccount(session: Session, named: string | undefined = session.accountOption): Promise<Account> {
  const { deleted_at: deletedAt, ...account } = await findAccountOnce(session, named);
  if (deletedAt === undefined) return account;
  throw new CliError('account_not_found', `The account ${account.slug} was deleted at ${deletedAt}; usage and the audit log are left.`);
}

/** The same, deleted accounts too: their usage and audit log stay. */
export async function findAccountOnce(
  session: Session,
  named: string | undefined = session.accountOption,
): Promise<Account & { deleted_at?: string | undefined }> {
  if (named !== undefined) return session.call(FindAccount, { slug: accountSlug(named) });
  const accounts = await allAccounts(session);
  const found = accounts.length === 1 ? accounts[0] : accounts.find(({ slug }) => slug === LOCAL);
  if (found) return found;
  if (accounts.length === 0)
    throw new CliError('account_not_found', 'There is no account yet: npx slipway accounts create SLUG makes one.');
  throw new CliError(
    'account_needed',
    `There are ${accounts.length} accounts: name one with --account, such as ${accounts[0]?.slug ?? ''}.`,
  );
}
