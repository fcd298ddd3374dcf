import { type AccountId, type KeyId, type KeyView, ListKeys, keyKindOf } from '@slipway/contracts';
import { Argument } from 'commander';
import { CliError, UsageError } from '../cli-errors.js';
import type { Account, Session } from '../session/session.js';

/**
 * Reads the id, name or hint of a key.
 * @throws UsageError for the value of a key, which does not belong on a command line
 */
export function keyName(text: string): string {
  if (keyKindOf(text) !== null) throw new UsageError('Name the key by its id, name or hint, never by its value: shells keep a history.');
  return text;
}

/** The argument that names a key. */
export const KEY = new Argument('<KEY>', 'its id, its name if only one has it, or its hint (svc_dep_Ab12)').argParser(keyName);

/** All deployment keys of an account, newest first. */
export async function allKeys(session: Session, account: AccountId): Promise<KeyView[]> {
  const keys: KeyView[] = [];
  let before: KeyId | undefined;
  for (;;) {
    const page = await session.call(ListKeys, { account, ...(before !== undefined && { before }) });
    keys.push(...page.keys);
    if (page.next === null || page.next === undefined) return keys;
    before = page.next;
  }
}

const describe = ({ id, name, hint, state }: KeyView): string => `${id} (${name}, ${hint}…, ${state})`;

/**
 * Picks the key that an id, a name or a hint means. Of several with one name, the only one that is not
 * revoked is meant.
 * @param where slug of the account whose keys these are
 * @throws CliError `key_not_found` or `ambiguous`
 */
export function pickKey(keys: readonly KeyView[], text: string, where: string): KeyView {
  const matches = keys.filter(({ id, name, hint }) => String(id) === text || name === text || hint === text.replace(/…$/, ''));
  const living = matches.filter(({ state }) => state !== 'revoked');
  const [found, another] = living.length > 0 ? living : matches;
  if (!found) throw new CliError('key_not_found', `There is no key "${text}" in account ${where}.`);
  if (another)
    throw new CliError('ambiguous', `"${text}" may be any of these keys, name one by its id: ${matches.map(describe).join(', ')}.`);
  return found;
}

/** Finds a key of an account, see `pickKey`. */
export const findKey = async (session: Session, account: Account, text: string): Promise<KeyView> =>
  pickKey(await allKeys(session, account.id), text, account.slug);
