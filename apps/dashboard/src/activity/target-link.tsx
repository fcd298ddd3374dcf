import type { AuditEntry } from '@slipway/contracts';
import { useRouter } from '@tanstack/react-router';
import type { JSX, MouseEvent } from 'react';
import { useAccount } from '../session/use-session.js';
import { type TargetNames, targetOf } from './activity-target.js';

export interface TargetLinkProps {
  readonly entry: AuditEntry;
  readonly names: TargetNames;
}

/** What an entry is about; a link where it has a page. */
export function TargetLink({ entry, names }: TargetLinkProps): JSX.Element {
  const { history } = useRouter();
  const { slug: account } = useAccount();
  const target = targetOf(entry, names);
  if (target === null) return <>–</>;
  if (target.path === null) return <span title={target.text}>{target.text}</span>;
  const href = `/${account}${target.path}`;
  const follow = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    history.push(href);
  };
  return (
    <a
      href={href}
      title={target.text}
      onClick={follow}
      className="text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent"
    >
      {target.text}
    </a>
  );
}
