import type { MemberRole, MemberView } from '@slipway/contracts';

/** The roles, from the one that may the most. */
const ROLES: readonly { readonly value: MemberRole; readonly label: string; readonly many: string; readonly about: string }[] = [
  { value: 'owner', label: 'Owner', many: 'Owners', about: 'Everything, including members, roles and the audit log.' },
  { value: 'member', label: 'Member', many: 'Members', about: 'Creates and changes deployments and API keys.' },
  { value: 'viewer', label: 'Viewer', many: 'Viewers', about: 'Read-only access to everything but the audit log.' },
];

/** The roles as cards of a form. */
export const ROLE_CARDS = ROLES.map(({ value, label, about }) => ({ value, title: label, text: about }));

export const roleLabel = (role: MemberRole): string => ROLES.find(({ value }) => value === role)?.label ?? role;

/** How many people have each role, from the one that may the most. */
export const seatsOf = (members: readonly { readonly role: MemberRole }[]): readonly { readonly label: string; readonly count: number }[] =>
  ROLES.map(({ value, many }) => ({ label: many, count: members.filter(({ role }) => role === value).length }));

/** What a person is called: by name where there is one. */
export const calledOf = ({ name, email }: Pick<MemberView, 'name' | 'email'>): string => name || email;
