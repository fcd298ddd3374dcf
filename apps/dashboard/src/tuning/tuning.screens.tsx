import { Link } from '@tanstack/react-router';
import type { JSX, ReactNode } from 'react';
import { useAccount } from '../session/use-session.js';
import { buttonClass } from '../ui/button.js';
import { EmptyState } from '../ui/empty-state.js';
import type { IconName } from '../ui/icon.js';
import { Page } from '../ui/page.js';

interface AbsentProps {
  readonly screen: string;
  readonly icon: IconName;
  readonly title: string;
  readonly children: ReactNode;
  /** What can be done with this release instead. */
  readonly instead: { readonly to: '/$account/deployments/create' | '/$account/playground'; readonly label: string };
}

/** A screen whose subject this release does not have. */
function Absent({ screen, icon, title, children, instead }: AbsentProps): JSX.Element {
  const { slug: account } = useAccount();
  return (
    <Page title={screen}>
      <EmptyState
        {...{ title, icon }}
        action={
          <Link to={instead.to} params={{ account }} className={buttonClass('plain')}>
            {instead.label}
          </Link>
        }
      >
        {children}
      </EmptyState>
    </Page>
  );
}

/** Where data sets will be. */
export const DataSetsScreen = (): JSX.Element => (
  <Absent screen="Data sets" icon="data" title="Not in this release" instead={{ to: '/$account/playground', label: 'Open the playground' }}>
    Data sets will hold the conversations that models are fine-tuned and evaluated on. This release has none.
  </Absent>
);

/** Where fine-tuning jobs will be. */
export const FineTuningScreen = (): JSX.Element => (
  <Absent
    screen="Fine-tuning"
    icon="train"
    title="Not in this release"
    instead={{ to: '/$account/deployments/create', label: 'Deploy a model' }}
  >
    Fine-tuning jobs will train a model on a data set. Until then, deploy a model that was trained elsewhere.
  </Absent>
);

/** Where evaluations will be. */
export const EvaluationsScreen = (): JSX.Element => (
  <Absent
    screen="Evaluations"
    icon="evaluate"
    title="Not in this release"
    instead={{ to: '/$account/playground', label: 'Compare in the playground' }}
  >
    Evaluations will compare deployments by their answers to a data set. Until then, compare two of them in the playground.
  </Absent>
);
