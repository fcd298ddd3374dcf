export { AskProcesses, ProcessReport } from './process-reports.js';
export { levelOf, NEEDS, needsOf, processNameOf } from './needs.js';
export type { Need } from './needs.js';
export { readRelease, RELEASE_HEADER, releaseText, unmetText } from './told-release.js';
export type { ToldRelease } from './told-release.js';
