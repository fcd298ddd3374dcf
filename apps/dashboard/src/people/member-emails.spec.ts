import type { MemberView } from '@slipway/contracts';
import { expect, it } from 'vitest';
import { readMemberEmails } from './member-emails.js';

const member = (user: number): MemberView => ({ user, email: `${user}@example.com` }) as MemberView;

it('members of every page are known by their addresses, and each page is read once', async () => {
  const asked: (number | undefined)[] = [];
  const pages = new Map([
    [undefined, { members: [member(1), member(2)], next: 2 }],
    [2, { members: [member(5)], next: 5 }],
    [5, { members: [member(9)], next: null }],
  ]);
  const emails = await readMemberEmails((after) => {
    asked.push(after);
    return Promise.resolve(pages.get(after) ?? expect.unreachable());
  });
  expect([...emails]).toEqual([1, 2, 5, 9].map((user) => [user, `${user}@example.com`]));
  expect(asked).toEqual([undefined, 2, 5]);
});
