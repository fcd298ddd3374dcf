import { useNavigate } from '@tanstack/react-router';
import type { JSX } from 'react';
import { useAccount } from '../../session/use-session.js';
import { CreateDeploymentDialog } from '../create-deployment-dialog.js';

export function CreateDeploymentScreen(): JSX.Element {
  const navigate = useNavigate();
  const { slug: account } = useAccount();
  return <CreateDeploymentDialog onClose={() => void navigate({ to: '/$account/deployments', params: { account } })} />;
}
