import { JobProcess } from './job-process.js';

new JobProcess(process, (code) => {
  process.exitCode = code;
  process.disconnect();
}).run();
