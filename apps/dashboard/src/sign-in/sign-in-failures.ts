const REASONS: Readonly<Record<string, string>> = {
  session_ended: 'Your session is over. Sign in again to go on where you were.',
  invitation_not_found: 'This invitation was used, has expired or was revoked. Ask for another one.',
  not_permitted: 'Your identity provider’s account belongs to no member. Open an invitation first and accept it with that account.',
  invalid_credentials: 'Your identity provider did not confirm who you are. Try again.',
  rate_limit_exceeded: 'Too many attempts came from here. Wait a minute and try again.',
  auth_unavailable: 'Your identity provider cannot be reached. Try again soon.',
  unavailable: 'Sign-in is not possible right now. Try again soon.',
};

/** Why somebody was sent to the sign-in, by the code that came with them. */
export const whyNotSignedIn = (code: string): string => REASONS[code] ?? 'You were not signed in. Try again.';
