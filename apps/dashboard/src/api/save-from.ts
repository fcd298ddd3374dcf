/** Saves what the console serves at a path of its own, under the name that the console gives it. @param path `/downloads/<ticket>` */
export function saveFrom(path: string): void {
  if (!path.startsWith('/downloads/')) throw new TypeError('A download has a path of the console.');
  const link = document.createElement('a');
  link.href = path;
  link.download = '';
  link.click();
}
