const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];

const padded = (value: number, length = 2, fill = '0'): string => String(value).padStart(length, fill);
const dayOfYear = (date: Date): number =>
  Math.round((Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) - Date.UTC(date.getFullYear(), 0, 0)) / 86_400_000);
const hour12 = (date: Date): number => date.getHours() % 12 || 12;

const FIELDS: Readonly<Record<string, (date: Date) => string>> = {
  Y: (date) => String(date.getFullYear()),
  y: (date) => padded(date.getFullYear() % 100),
  m: (date) => padded(date.getMonth() + 1),
  B: (date) => MONTHS[date.getMonth()] ?? '',
  b: (date) => (MONTHS[date.getMonth()] ?? '').slice(0, 3),
  d: (date) => padded(date.getDate()),
  e: (date) => padded(date.getDate(), 2, ' '),
  j: (date) => padded(dayOfYear(date), 3),
  A: (date) => DAYS[date.getDay()] ?? '',
  a: (date) => (DAYS[date.getDay()] ?? '').slice(0, 3),
  H: (date) => padded(date.getHours()),
  I: (date) => padded(hour12(date)),
  M: (date) => padded(date.getMinutes()),
  S: (date) => padded(date.getSeconds()),
  p: (date) => (date.getHours() < 12 ? 'AM' : 'PM'),
  F: (date) => timeText(date, '%Y-%m-%d'),
  T: (date) => timeText(date, '%H:%M:%S'),
  '%': () => '%',
};

/** Python's `strftime` in the C locale, without time zones. Fields that are not known stay as they are. */
export const timeText = (date: Date, format: string): string =>
  format.replaceAll(/%(-?)([A-Za-z%])/g, (whole, bare: string, field: string) => {
    const text = FIELDS[field]?.(date);
    if (text === undefined) return whole;
    return bare === '' ? text : text.replace(/^[0 ]+(?=.)/, '');
  });
