import type { ConsoleReply } from '@slipway/contracts';
import { call } from '../api/use-call.js';

type Page = Pick<ConsoleReply<'members/list'>, 'members'> & { readonly next: number | null };

const readPage = (after: number | undefined): Promise<Page> => call('members/list', after === undefined ? {} : { after });

/** Addresses of all members by their numbers, page by page. */
export async function readMemberEmails(
  page: (after: number | undefined) => Promise<Page> = readPage,
): Promise<ReadonlyMap<number, string>> {
  const emails = new Map<number, string>();
  let after: number | undefined;
  for (;;) {
    const { members, next } = await page(after);
    for (const { user, email } of members) emails.set(user, email);
    if (next === null) return emails;
    after = next;
  }
}
