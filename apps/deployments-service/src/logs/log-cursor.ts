import { ServiceError } from '@slipway/contracts';

/** How far one agent's lines were read: the number of the last line, 0 for agents that give none, and its time. */
export interface ReadTo {
  readonly no: number;
  readonly at: number;
}

/** How far each agent was read, by its name. */
export type LogCursor = ReadonlyMap<string, ReadTo>;

const ENTRY = /^([A-Za-z0-9_-]{1,64}):(\d{1,15}):(\d{1,15})$/;
/** Below what the contract allows. */
const CHARS_MAX = 16_000;

/** @throws ServiceError `invalid_request` for a text that is no cursor */
export function parseLogCursor(text: string | undefined): LogCursor {
  if (text === undefined || text === '') return new Map();
  const entries = text.split(',').map((entry): [string, ReadTo] => {
    const [, wk, no, at] = ENTRY.exec(entry) ?? [];
    if (wk === undefined) throw new ServiceError('invalid_request', 'This is no cursor of a log.', { param: 'cursor' });
    return [wk, { no: Number(no), at: Number(at) }];
  });
  return new Map(entries);
}

/** The cursor as text. With more agents than fit, those that wrote nothing for longest are left out. */
export function logCursorText(cursor: LogCursor): string {
  const newest = [...cursor].sort(([, a], [, b]) => b.at - a.at);
  let text = '';
  for (const [wk, { no, at }] of newest) {
    const entry = `${text === '' ? '' : ','}${wk}:${no}:${at}`;
    if (text.length + entry.length > CHARS_MAX) break;
    text += entry;
  }
  return text;
}
