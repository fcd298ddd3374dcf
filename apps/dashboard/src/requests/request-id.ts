const PREFIXES = /^(?:req_|chatcmpl-|msg_01)/;
/** The ids of requests that gateways make, without a prefix. */
const BARE = /^[A-Za-z0-9]{22}$/;
/** All that an id may be. */
const ANY = /^[A-Za-z0-9_-]{1,64}$/;

/** The id by which the ledger knows a request: that of its header, of its answer, or the part that both share. Null for other text. */
export function requestIdIn(text: string): string | null {
  const typed = text.trim();
  const id = typed.replace(PREFIXES, '');
  return ANY.test(id) ? id : null;
}

/** The same for text that may be anything else: null unless it has a prefix or the form of an id. */
export function isRequestId(text: string): boolean {
  const typed = text.trim();
  return BARE.test(typed) || (PREFIXES.test(typed) && requestIdIn(typed) !== null);
}
