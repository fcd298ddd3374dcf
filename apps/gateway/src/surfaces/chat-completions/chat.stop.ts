import { fault, isAbsent, wrongType } from './chat.fault.js';

const MAX_STOPS = 4;
const MAX_STOP_CHARS = 1024;

/**
 * The texts at which an answer ends.
 * @throws ServiceError when they are not one text or up to four, each with something in it.
 */
export function readStop(value: unknown): string[] {
  if (isAbsent(value)) return [];
  const stops: unknown[] = Array.isArray(value) ? value : [value];
  if (stops.length > MAX_STOPS) throw fault('array_above_max_length', 'stop', `'stop' may hold at most ${MAX_STOPS} texts.`);
  return stops.map((stop) => {
    if (typeof stop !== 'string') throw wrongType('stop', 'a string or an array of strings');
    if (stop === '' || stop.length > MAX_STOP_CHARS) {
      throw fault('invalid_value', 'stop', `A text of 'stop' must have 1 to ${MAX_STOP_CHARS} characters.`);
    }
    return stop;
  });
}
