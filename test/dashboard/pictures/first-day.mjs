import { setTimeout as sleep } from 'node:timers/promises';

const QUESTIONS = ['Who are you?', 'What can you do?', 'Hello!', 'How do I create a key?', 'What is a deployment?'];
const AT_ONCE = 3;

/** A person's first day: set up, create a key and a deployment, and let programs call them. */
export class FirstDay {
  /** The owner's page. */
  page;

  constructor(stage) {
    this.stage = stage;
  }

  get dialog() {
    return this.page.getByRole('dialog');
  }

  async begin(seconds) {
    this.page = await this.stage.page();
    await this.#setUp();
    const website = await this.#createKey('Website, production');
    await this.#createKey('Nightly job');
    await this.#createDeployment();
    await this.#ask(website, seconds);
  }

  async open(path) {
    await this.page.goto(path);
    await this.page.getByRole('heading', { level: 1 }).waitFor();
    await this.page.waitForLoadState('networkidle');
  }

  async #setUp() {
    await this.page.goto(this.stage.ready.setup_url);
    await this.page.getByLabel('Email').fill('ada@example.com');
    await this.page.getByLabel('Your name').fill('Ada');
    await this.page.getByLabel('Password').fill('correct horse battery');
    await this.page.getByRole('button', { name: 'Set up and sign in' }).click();
    await this.page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  }

  async #createKey(name) {
    await this.open('/api-keys');
    await this.page.getByRole('button', { name: 'Create API key' }).first().click();
    await this.dialog.getByLabel('Name').fill(name);
    await this.dialog.getByRole('button', { name: 'Create key' }).click();
    const value = await this.dialog.getByLabel('Key', { exact: true }).inputValue();
    await this.dialog.getByRole('checkbox', { name: 'I have stored it' }).check();
    await this.dialog.getByRole('button', { name: 'Done' }).click();
    return value;
  }

  /** Goes to the create page, names an HTTP engine and tests the connection; the page stays at its model. */
  async fillInEngine() {
    await this.open('/deployments/create');
    await this.page.getByRole('radio', { name: 'Engine' }).click();
    await this.#next();
    await this.page.getByLabel('Address of the engine').fill(this.stage.engineUrl);
    await this.page.getByRole('button', { name: 'Test the connection' }).click();
    await this.page.getByRole('radio', { name: 'qwen3-4b' }).click();
    await this.page.getByText('has the model').waitFor();
  }

  async #next() {
    await this.page.getByRole('button', { name: 'Continue' }).click();
  }

  async #createDeployment() {
    await this.fillInEngine();
    await this.#next();
    await this.#next();
    await this.page.getByLabel('Name', { exact: true }).fill('Writing assistant');
    await this.page.getByLabel('Alias (optional)').fill('writer');
    await this.page.getByRole('button', { name: 'Create deployment' }).click();
    await this.page.getByRole('heading', { level: 1, name: 'Writing assistant' }).waitFor();
    await this.page.getByText('Ready', { exact: true }).first().waitFor({ timeout: 60_000 });
  }

  async #ask(key, seconds) {
    const until = Date.now() + seconds * 1_000;
    const program = async (first) => {
      for (let n = first; Date.now() < until; n += AT_ONCE) await this.#askOnce(key, n);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => program(n)));
    // Requests count a second or two after they end.
    await sleep(4_000);
  }

  async #askOnce(key, n) {
    const alias = n % 3 === 0 ? 'writer' : 'demo';
    const contract = n % 4 === 0 ? 'messages' : 'chat/completions';
    const response = await fetch(`${this.stage.ready.base_url}/local/${alias}/v1/${contract}`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: alias,
        stream: true,
        max_tokens: 60,
        messages: [{ role: 'user', content: QUESTIONS[n % QUESTIONS.length] }],
      }),
    });
    await response.text().catch(() => '');
    await sleep(150 + 300 * Math.random());
  }
}
