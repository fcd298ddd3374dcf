import { Email, ListMembers, type MemberView, type UserId } from '@slipway/contracts';
import { Argument } from 'commander';
import { CliError } from '../cli-errors.js';
import { type Account, OPERATOR, type Session } from '../session/session.js';
import { checkedBy } from '../values.js';

/** The argument that names a person. */
export const EMAIL = new Argument('<EMAIL>', 'their email address').argParser(checkedBy(Email, () => 'It takes an email address.'));

/** All members of an account, oldest first. */
export async function allMembers(session: Session, { id: account }: Account): Promise<MemberView[]> {
  const members: MemberView[] = [];
  let after: UserId | undefined;
  for (;;) {
    const page = await session.call(ListMembers, { account, actor: OPERATOR, ...(after !== undefined && { after }) });
    members.push(...page.members);
    if (page.next === null) return members;
    after = page.next;
  }
}

/** Finds a member by their address. @throws CliError `user_not_found` */
export async function findMember(session: Session, account: Account, email: string): Promise<MemberView> {
  const found = (await allMembers(session, account)).find((member) => member.email === email);
  if (!found) throw new CliError('user_not_found', `Account ${account.slug} has no member with the address ${email}.`);
  return found;
}
