/** A path of this dashboard; everything else, such as another site's address, becomes its first page. */
export function innerPath(wanted: string | undefined): string {
  if (wanted === undefined || !/^\/(?![/\\])/.test(wanted) || /[\\\p{Cc}]/u.test(wanted)) return '/';
  return /^\/(?:sign-in|join)\b/.test(wanted) ? '/' : wanted;
}
