import { CreateInvitation, AcceptInvitation } from '@slipway/contracts';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { ConsoleInProcess } from '../people/console-process.js';
import { as, PASSWORD, PeopleWorld, type Resident } from '../people/people-world.js';
import { ConsoleBrowser } from './console-browser.js';

/** A console, a browser, and a person who owns one account and belongs to a second one. */
export class SignedOutPage {
  world!: PeopleWorld;
  door!: ConsoleInProcess;
  /** A page of a person new to the console. */
  page!: Page;
  ada!: Resident;
  /** Slugs of Ada's own account, and of the one that she is a member of. */
  home = '';
  second = '';
  #browser!: ConsoleBrowser;

  /** Starts it before the tests of the calling file, and gives each test a page of its own. */
  static around(): SignedOutPage {
    const stage = new SignedOutPage();
    beforeAll(() => stage.#start(), 120_000);
    afterAll(() => stage.#end());
    beforeEach(async () => {
      stage.page = await stage.#browser.person();
    });
    afterEach(() => stage.page.context().close());
    return stage;
  }

  /** Path of the address that is shown. */
  get path(): string {
    return new URL(this.page.url()).pathname;
  }

  get navigation(): ReturnType<Page['getByRole']> {
    return this.page.getByRole('navigation', { name: 'Main' });
  }

  async fillIn(): Promise<void> {
    await this.page.getByLabel('Email').fill(this.ada.email);
    await this.page.getByLabel('Password').fill(PASSWORD);
    await this.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  async signIn(path = `/${this.home}/api-keys`): Promise<void> {
    await this.page.goto(path);
    await this.fillIn();
    await this.page.getByRole('heading', { level: 1, name: 'API Keys' }).waitFor();
  }

  async #start(): Promise<void> {
    this.world = await PeopleWorld.start();
    this.door = await ConsoleInProcess.start(this.world.keys.bus, { SIGN_INS_PER_MIN: '100000' });
    this.#browser = await ConsoleBrowser.start(this.door.url);
    this.ada = await this.world.owner();
    const other = await this.world.owner();
    const invitation = { account: other.account, email: this.ada.email, role: 'member', actor: as(other.user) } as const;
    const { token } = await this.world.ask(CreateInvitation, invitation);
    await this.world.ask(AcceptInvitation, { token, password: PASSWORD, origin: { address: '192.0.2.7' } });
    [this.home, this.second] = [this.ada.tokens.slug, other.tokens.slug];
  }

  async #end(): Promise<void> {
    await this.#browser?.end();
    await this.door?.end();
    await this.world?.end();
  }
}
