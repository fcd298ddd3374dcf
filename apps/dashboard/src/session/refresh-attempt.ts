const NAME = 'slipway.refresh';
/** Where the browser keeps nothing for this page. */
let inMemory: string | null = null;

function read(): string | null {
  try {
    return localStorage.getItem(NAME);
  } catch {
    return inMemory;
  }
}

function write(attempt: string | null): void {
  inMemory = attempt;
  try {
    if (attempt === null) localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, attempt);
  } catch {
    // Then this page alone knows it.
  }
}

/** 128 random bits; `crypto.randomUUID` is not there over plain http. */
const newAttempt = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * Exchanges the cookie under the name of one attempt, which is kept until there is an answer: by it the console tells a page
 * that asks again, after a lost answer, a reload or in another tab, from somebody else with the same cookie. The name opens
 * nothing. Tabs take turns.
 * @param exchange rejects with what `isLost` tells apart
 * @param isLost whether nobody knows if the cookie was exchanged
 */
export function withAttempt<T>(exchange: (attempt: string) => Promise<T>, isLost: (error: unknown) => boolean): Promise<T> {
  const run = async (): Promise<T> => {
    const attempt = read() ?? newAttempt();
    write(attempt);
    try {
      const answer = await exchange(attempt);
      write(null);
      return answer;
    } catch (error) {
      if (!isLost(error)) write(null);
      throw error;
    }
  };
  // Absent where the page was not loaded over https or from this machine.
  const locks = (globalThis.navigator as { readonly locks?: LockManager } | undefined)?.locks;
  return locks ? locks.request(NAME, run) : run();
}
