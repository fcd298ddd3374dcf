import { RunnerProcess } from './runner-process.js';

new RunnerProcess(process, (code) => {
  // The engine's native threads could keep an idle process alive.
  // oxlint-disable-next-line unicorn/no-process-exit
  process.exit(code);
}).run();
