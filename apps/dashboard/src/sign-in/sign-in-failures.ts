const REASONS: Readonly<Record<string, string>> = {
  session_ended: 'Your session has ended. Sign in again to continue where you left off.',
  invitation_not_found: 'This invitation has been used, has expired or was revoked. Ask for a new one.',
  not_permitted: 'No member here uses that account of your organisation. Open your invitation first and accept it with that account.',
  invalid_credentials: 'Your organisation did not confirm who you are. Try again.',
  rate_limit_exceeded: 'Too many attempts. Wait a minute and try again.',
  auth_unavailable: 'Your organisation’s sign-in cannot be reached. Try again soon.',
  unavailable: 'Sign-in is not possible right now. Try again soon.',
};

/** Why somebody was sent to the sign-in, by the code that came with them. */
export const whyNotSignedIn = (code: string): string => REASONS[code] ?? 'You were not signed in. Try again.';
