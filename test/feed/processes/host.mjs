import { inspect } from 'node:util';
import { startPublisher } from './publisher.mjs';
import { startReader } from './reader.mjs';

// Runs any number of replicas and readers for a test; ends with the test process.
const roles = { publisher: startPublisher, reader: startReader };
const actors = [];

async function handle({ actor, name, argument }) {
  if (actor !== undefined) return actors[actor][name](argument);
  actors.push(await roles[name](argument));
  return actors.length - 1;
}

process.on('message', async ({ id, ...question }) => {
  try {
    process.send({ id, value: (await handle(question)) ?? null });
  } catch (err) {
    process.send({ id, error: inspect(err) });
  }
});
process.on('disconnect', () => process.exit(0));
