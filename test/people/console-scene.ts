import { Browser, type PageAnswer } from './browser.js';
import { ConsoleInProcess } from './console-process.js';
import { PASSWORD, PeopleWorld, type Resident } from './people-world.js';

export const COOKIE = '__Host-slipway_refresh';

/** Status and error code of a response. */
export const codeOf = ({ status, body }: PageAnswer): [number, string | undefined] => [status, body.error?.code];

/** A console with an account and its owner, and browsers for it. */
export class ConsoleScene {
  private constructor(
    readonly world: PeopleWorld,
    readonly door: ConsoleInProcess,
    readonly owner: Resident,
  ) {}

  static async start(): Promise<ConsoleScene> {
    const world = await PeopleWorld.start({ LOG_LEVEL: 'debug' });
    const door = await ConsoleInProcess.start(world.keys.bus, { SIGN_INS_PER_MIN: '100000', CONSOLE_PROXIES: '1' });
    return new ConsoleScene(world, door, await world.owner());
  }

  open(): Browser {
    return new Browser(this.door.url);
  }

  /** @throws Error when the sign-in is refused */
  async signedIn({ email }: Pick<Resident, 'email'> = this.owner): Promise<Browser> {
    const browser = this.open();
    const { status } = await browser.post('/api/sign-in', { email, password: PASSWORD });
    if (status !== 200) throw new Error(`The sign-in of ${email} was answered with ${status}.`);
    return browser;
  }

  async end(): Promise<void> {
    await this.door.end();
    await this.world.end();
  }
}
