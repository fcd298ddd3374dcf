import type { JSX } from 'react';
import { Empty, Page } from '../ui/page.js';

/** Where data sets will be; this release has none. */
export const DataSetsScreen = (): JSX.Element => (
  <Page title="Data sets">
    <Empty title="This release has no data sets.">Data sets hold the conversations that models are fine-tuned and evaluated on.</Empty>
  </Page>
);

/** Where fine-tuning jobs will be; this release has none. */
export const FineTuningScreen = (): JSX.Element => (
  <Page title="Fine-tuning">
    <Empty title="This release has no fine-tuning.">Fine-tuning jobs train a model on a data set and deploy the result.</Empty>
  </Page>
);

/** Where evaluations will be; this release has none. */
export const EvaluationsScreen = (): JSX.Element => (
  <Page title="Evaluations">
    <Empty title="This release has no evaluations.">Evaluations compare deployments by the answers they give to a data set.</Empty>
  </Page>
);
