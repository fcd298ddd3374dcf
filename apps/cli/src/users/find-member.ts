import { Email, ListMembers, type MemberView, type UserId } from '@slipway/contracts';
import { CliError } from '../cli-errors.js';
import { checked } from '../option-values.js';
import { OPERATOR } from '../session/operator.js';
import type { Account, Session } from '../session/session.js';

/** Reads an email address. @throws UsageError */
export const emailAddress = (text: string): string => checked(Email, text, `"${text}" is no email address.`);

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
  if (!found) throw new CliError('user_not_found', `Nobody with the address ${email} belongs to account ${account.slug}.`);
  return found;
}
