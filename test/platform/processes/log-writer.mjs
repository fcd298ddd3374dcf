import { pbkdf2 } from 'node:crypto';
import { createLogger } from '@slipway/platform';

/** Writes many lines by two loggers in one turn of the event loop, reports that, and ends in the given way. */
const [lines, ending] = [Number(process.argv[2]), process.argv[3]];
const loggers = ['one', 'two'].map((service) => createLogger(service, 'info'));
for (let line = 0; line < lines; line += 1) for (const log of loggers) log.info({ line, text: 'é"\n'.repeat(line % 50) }, 'line');

const END = {
  exit: () => process.exit(0),
  fault: () => {
    throw new Error('A fault.');
  },
  rest: () => process.disconnect(),
  // Longer than ten times the interval at which lines leave.
  stall: () => {
    const timer = setInterval(() => loggers[0].info({ line: lines }, 'later'), 100);
    setTimeout(() => (clearInterval(timer), process.disconnect()), 3_000);
  },
  // The write of the lines before waits for libuv's threads, which are busy, and the last line comes meanwhile. The process stays.
  busy: () => {
    for (let i = 0; i < 12; i += 1) pbkdf2('text', 'salt', 300_000, 64, 'sha512', () => undefined);
    setTimeout(() => loggers[0].info({ line: lines }, 'rested'), 300);
    setInterval(() => undefined, 1_000);
    process.on('disconnect', () => process.exit(0));
  },
};
process.send('written', END[ending]);
