/** Words for a change that every gateway has to apply. */
export const reachOf = ({ propagated }: { readonly propagated: boolean }, done: string): string =>
  propagated ? done : `${done.replace(/\.$/, '')}; some gateways have not confirmed yet and follow within seconds.`;
