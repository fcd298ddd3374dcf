export { AskProcesses, ProcessReport } from './process-reports.js';
export { LOG_LEVELS, LogLevelSpan, ReadProcess, SetLogLevel, SETTING_CHARS_MAX, settingsOwnerOf } from './process-calls.js';
export type { LogLevel, ProcessLog, RunningProcess } from './process-calls.js';
export { levelOf, NEEDS, needsOf, processNameOf } from './needs.js';
export type { Need } from './needs.js';
export { readRelease, RELEASE_HEADER, releaseText, unmetText } from './told-release.js';
export type { ToldRelease } from './told-release.js';
