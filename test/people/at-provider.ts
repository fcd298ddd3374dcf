import { Browser } from './browser.js';

/** Signs in at `processes/provider.mjs` as `login`. @returns the URL below `door` that it redirects the browser to */
export async function signInAtProvider(url: string, { login, door }: { login: string; door: string }): Promise<string> {
  const person = new Browser(url);
  let next = url;
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 12; step += 1) {
    const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(next, { redirect: 'manual', headers: { cookie }, ...(form && { method: 'POST', body: form }) });
    person.keep(response);
    form = undefined;
    const location = response.headers.get('location');
    if (location !== null) {
      next = new URL(location, next).href;
      if (next.startsWith(door)) return next;
      continue;
    }
    const page = await response.text();
    const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
    if (action === undefined) throw new Error(`The provider shows no form:\n${page}`);
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? '';
    form = new URLSearchParams({ prompt, ...(prompt === 'login' && { login, password: 'any' }) });
    next = new URL(action, next).href;
  }
  throw new Error('The provider never sends the browser back.');
}
