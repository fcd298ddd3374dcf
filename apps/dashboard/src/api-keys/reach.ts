/** What came of a change that every gateway must obey. */
export const reachOf = ({ propagated }: { readonly propagated: boolean }, done: string): string =>
  propagated ? done : `${done.replace(/\.$/, '')} here; gateways that have not confirmed yet follow within seconds.`;
