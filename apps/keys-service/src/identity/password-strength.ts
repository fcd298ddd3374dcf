import { ServiceError } from '@slipway/contracts';
import type { ZxcvbnFactory } from '@zxcvbn-ts/core';

/** Characters that are judged: the time for it grows faster than the length, and this many suffice. */
const JUDGED_CHARS = 40;
/** Readings of a password with its digits and signs as letters that are tried; each costs a search of the dictionary. */
const SUBSTITUTIONS_MAX = 8;
/** Least score of 0 to 4: more than 10⁸ guesses by someone who knows how people choose passwords. */
const LEAST_SCORE = 3;

/** Why a password is easy to guess, by the estimator's words. */
const REASONS: Readonly<Record<string, string>> = {
  topTen: 'it is one of the passwords that people use most',
  topHundred: 'it is one of the passwords that people use most',
  common: 'it is a common password',
  similarToCommon: 'it resembles a common password',
  userInputs: 'it contains your name or address',
  straightRow: 'it is a row of keys on the keyboard',
  keyPattern: 'it is a pattern on the keyboard',
  simpleRepeat: 'it repeats a character',
  extendedRepeat: 'it repeats a group of characters',
  sequences: 'it is a sequence of characters',
  recentYears: 'it is a year',
  dates: 'it is a date',
};
const OTHER_REASON = 'it is a word with little added';

/** What an attacker knows about the person. */
export interface PasswordOwner {
  readonly email: string;
  readonly name: string;
}

let estimator: Promise<ZxcvbnFactory> | undefined;

/** Loads the dictionary, which takes some MiB, with the first password that is chosen. */
async function loadEstimator(): Promise<ZxcvbnFactory> {
  const [core, common] = await Promise.all([import('@zxcvbn-ts/core'), import('@zxcvbn-ts/language-common')]);
  return new core.ZxcvbnFactory({
    dictionary: common.dictionary,
    graphs: common.adjacencyGraphs,
    maxLength: JUDGED_CHARS,
    l33tMaxSubstitutions: SUBSTITUTIONS_MAX,
  });
}

const wordsOf = (text: string): string[] => text.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 2);

/**
 * Refuses a new password that is easy to guess, whoever's it is.
 * @param param the field that holds it
 * @throws ServiceError `invalid_request` with the reason
 */
export async function requireStrongPassword(password: string, { email, name }: PasswordOwner, param: string): Promise<void> {
  estimator ??= loadEstimator();
  const known = ['slipway', email, name, ...wordsOf(email), ...wordsOf(name)].filter((word) => word !== '');
  const { score, feedback } = (await estimator).check(password.slice(0, JUDGED_CHARS), known);
  if (score >= LEAST_SCORE) return;
  const reason = REASONS[feedback.warning ?? ''] ?? OTHER_REASON;
  const advice = 'Take a longer one, such as several words that do not belong together.';
  throw new ServiceError('invalid_request', `This password is easy to guess: ${reason}. ${advice}`, { param });
}
