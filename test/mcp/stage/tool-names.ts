/** Tools that change nothing. */
export const READS = [
  'get_account',
  'list_models',
  'list_deployments',
  'get_deployment',
  'get_deployment_logs',
  'get_usage',
  'get_rollout',
  'list_deployment_keys',
  'list_datasets',
  'get_dataset',
  'get_dataset_problems',
  'preview_examples',
  'list_tunable_bases',
  'plan_tuning_job',
  'list_tuning_jobs',
  'get_tuning_job',
  'list_adapters',
  'get_adapter',
  'get_adapter_answers',
  'get_adapter_import',
  'list_evaluation_suites',
  'list_evaluations',
  'get_evaluation',
  'get_evaluation_answers',
];

/** Tools that take something away, or requests from something. */
export const DESTROYS = [
  'stop_deployment',
  'delete_deployment',
  'set_alias',
  'delete_alias',
  'promote_rollout',
  'roll_back',
  'revoke_deployment_key',
  'delete_dataset',
  'cancel_tuning_job',
  'delete_adapter',
  'cancel_evaluation',
];

/** The other tools. */
export const OTHERS = [
  'create_deployment',
  'update_deployment',
  'resume_deployment',
  'start_rollout',
  'advance_rollout',
  'create_dataset_upload',
  'import_dataset',
  'add_examples',
  'repair_dataset',
  'create_tuning_job',
  'pause_tuning_job',
  'resume_tuning_job',
  'deploy_adapter',
  'import_adapter',
  'create_evaluation_suite',
  'create_evaluation',
  'evaluate_adapter',
];

/** Tools that make another thing each time. */
export const CREATES = ['create_deployment', 'repair_dataset', 'create_tuning_job', 'deploy_adapter'];
