import type { DeploymentView, KeyView, MemberView } from '@slipway/contracts';
import { useMemo } from 'react';
import { useEveryDeployment, useEveryKey, useEveryMember } from '../api/lists.js';
import { useCall } from '../api/use-call.js';
import { deploymentNames, keyNames, type Names } from './group-names.js';

/** What usage is split and filtered by; empty while it is not known. */
export interface Known extends Names {
  readonly allKeys: readonly KeyView[];
  readonly allDeployments: readonly DeploymentView[];
  readonly aliases: readonly string[];
  readonly members: readonly MemberView[];
  /** Numbers of the keys that a person made, newest first. @param email their address when they made them */
  readonly keysOf: (email: string) => readonly number[];
}

/** Names of keys, deployments, aliases and people of the account. */
export function useKnown(): Known {
  const { data: allKeys = NONE } = useEveryKey();
  const { data: allDeployments = NONE } = useEveryDeployment();
  const { data: members = NONE } = useEveryMember();
  const { data: first } = useCall('keys/list', {});
  const { data: listed } = useCall('aliases/list', {});
  return useMemo(
    () => ({
      allKeys,
      allDeployments,
      members,
      keys: keyNames(allKeys, first?.playground ?? [], first?.evaluation ?? []),
      deployments: deploymentNames(allDeployments),
      aliases: listed?.aliases.map(({ alias }) => alias) ?? [],
      keysOf: (email) => allKeys.filter(({ created_by: by }) => by?.actor === 'user' && by.name === email).map(({ id }): number => id),
    }),
    [allKeys, allDeployments, members, first, listed],
  );
}

const NONE: readonly never[] = [];
