// Holds an advisory lock and prints every few milliseconds whether it believes so. argv: address, name
import { AdvisoryLock, LockSession } from '@slipway/database';
import { createLogger } from '@slipway/platform';

const [url, name] = process.argv.slice(2);
const say = (event) => process.send({ event });
const lock = new AdvisoryLock({
  session: new LockSession({ url, applicationName: 'lock holder', log: createLogger('lock-holder', 'silent') }),
  name,
  acquired: () => say('acquired'),
  lost: () => say('lost'),
});
lock.start();
setInterval(() => say(lock.held ? 'held' : 'not held'), 5);
process.on('disconnect', () => process.exit());
