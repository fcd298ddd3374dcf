import { people } from '../api/people-api.js';

/** Addresses of all members by their numbers, page by page. */
export async function readMemberEmails(page = people.members): Promise<ReadonlyMap<number, string>> {
  const emails = new Map<number, string>();
  let after: number | undefined;
  for (;;) {
    const { members, next } = await page(after);
    for (const { user, email } of members) emails.set(user, email);
    if (next === null) return emails;
    after = next;
  }
}
