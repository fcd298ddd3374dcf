function save(href: string, name: string): void {
  const link = document.createElement('a');
  link.href = href;
  link.download = name;
  link.click();
}

/** Saves a text as a file of the person's. @param type its media type, such as `text/csv` */
export function saveText(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  save(url, name);
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Saves what the console serves at a path of its own, under the name that the console gives it. @param path `/downloads/<ticket>` */
export function saveFrom(path: string): void {
  if (!path.startsWith('/downloads/')) throw new TypeError('A download has a path of the console.');
  save(path, '');
}
