import type { MemberRole } from '@slipway/contracts';

const ROLES: readonly { readonly value: MemberRole; readonly label: string; readonly about: string }[] = [
  { value: 'viewer', label: 'Viewer', about: 'looks at everything but people’s activity' },
  { value: 'member', label: 'Member', about: 'also changes keys and deployments' },
  { value: 'owner', label: 'Owner', about: 'also invites and removes people, and reads the activity' },
];

/** The roles as choices of a form. */
export const ROLE_CHOICES = ROLES.map(({ value, label, about }) => ({ value, label: `${label}: ${about}` }));

export const roleLabel = (role: MemberRole): string => ROLES.find(({ value }) => value === role)?.label ?? role;
