#!/usr/bin/env node
// npx slipway. Says what is missing where nothing is built or installed yet.
import { existsSync } from 'node:fs';

const BUILD = new URL('../dist/main.js', import.meta.url);

const fail = (text) => {
  process.stderr.write(`✗ ${text}\n`);
  process.exit(1);
};

if (!existsSync(BUILD)) fail('The command line is not built yet: npm start does it, or npm run build.');
try {
  const { main } = await import(BUILD.href);
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  // What is missing or older than the rest: a build or an installation that was interrupted.
  if (error.code !== 'ERR_MODULE_NOT_FOUND' && !(error instanceof SyntaxError)) throw error;
  fail(`The command line is installed or built in part only, npm start repairs it: ${error.message.split('\n')[0]}`);
}
