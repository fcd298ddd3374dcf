/** Of a password that is being made; keys-service asks for as much. */
const LEAST_CHARACTERS = 10;

export const PASSWORD_HINT = `At least ${LEAST_CHARACTERS} characters.`;

/** What is wrong with a new password; null = nothing that can be seen from here. */
export const faultOfPassword = (password: string): string | null =>
  password.length < LEAST_CHARACTERS ? `A password has at least ${LEAST_CHARACTERS} characters.` : null;
