import { type JSX, lazy, Suspense, useState } from 'react';
import { EVALUATION_TABS, EVALUATIONS_SEARCH } from '../searches.js';
import { useAccount, useMayChange } from '../session/use-session.js';
import { Button } from '../ui/button.js';
import { Page } from '../ui/page.js';
import { Tabs } from '../ui/tabs.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { EvaluationsTable } from './evaluations-table.js';
import { SuitesTable } from './suites-table.js';
import { useSuites } from './use-evaluations.js';

const NewEvaluationDialog = lazy(async () => ({ default: (await import('./new-evaluation-dialog.js')).NewEvaluationDialog }));
const NewSuiteDialog = lazy(async () => ({ default: (await import('./new-suite-dialog.js')).NewSuiteDialog }));

const TITLES = { evaluations: 'Evaluations', suites: 'Suites' } as const;

type Made = 'evaluation' | 'suite';

/** Evaluations of deployments, and the suites by which they are made. */
export function EvaluationsScreen(): JSX.Element {
  const { slug: account } = useAccount();
  const mayChange = useMayChange();
  const [{ tab }, set] = useUrlState(EVALUATIONS_SEARCH);
  const [making, setMaking] = useState<Made | null>(null);
  const suites = useSuites();
  const has = (suites.data?.length ?? 0) > 0;
  const makeSuite = (): void => setMaking('suite');
  const makeEvaluation = (): void => setMaking('evaluation');
  const show = (value: (typeof EVALUATION_TABS)[number]): void => set({ tab: value }, { push: true });
  const close = (): void => setMaking(null);
  const contents = {
    evaluations: <EvaluationsTable hasSuites={has} onNew={has ? makeEvaluation : makeSuite} />,
    suites: <SuitesTable query={suites} onNew={makeSuite} />,
  };
  return (
    <Page
      title="Evaluations"
      about="A suite asks deployments the conversations of a data set, and grades their answers against a baseline."
      actions={
        mayChange && (
          <>
            <Button icon="plus" onClick={makeSuite}>
              New suite
            </Button>
            {has && (
              <Button look="main" icon="plus" data-shortcut="create" onClick={makeEvaluation}>
                New evaluation
              </Button>
            )}
          </>
        )
      }
    >
      <Tabs
        label="Evaluations and suites"
        value={tab}
        onChange={show}
        items={EVALUATION_TABS.map((value) => ({
          value,
          label: TITLES[value],
          href: `/${account}/evaluations${value === 'evaluations' ? '' : `?tab=${value}`}`,
          content: value === tab && contents[value],
        }))}
      />
      <Suspense fallback={null}>
        {making === 'suite' && <NewSuiteDialog onClose={close} onCreated={() => show('suites')} />}
        {making === 'evaluation' && <NewEvaluationDialog suites={suites.data ?? []} onClose={close} />}
      </Suspense>
    </Page>
  );
}
