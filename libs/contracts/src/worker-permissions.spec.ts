import { describe, expect, it } from 'vitest';
import type { Role } from './channel.js';
import { type Permissions, permissionsOf } from './permissions.js';

/** A NATS server reads permissions as a set: their order says nothing. */
const sorted = ({ publish, subscribe, ...rest }: Permissions): Permissions => ({
  publish: publish.toSorted(),
  subscribe: subscribe.toSorted(),
  ...rest,
});
const of = (role: Role): Permissions => sorted(permissionsOf(role, 'dev'));

describe('what a process of a worker may do, with a user of its own name', () => {
  it('agent', () => {
    expect(of('agent')).toEqual(
      sorted({
        publish: [
          'key.dev.v1.rpc.name-workers.{{name()}}.agent',
          'key.dev.v1.rpc.name-workers.{{name()}}',
          'inf.dev.v1.hb.0.{{name()}}',
          'sys.dev.v1.report.agent.{{name()}}',
          'tun.dev.v1.rpc.find-blob-door.agent',
          'tun.dev.v1.rpc.open-blob.agent',
          '_INBOX_deployments.*.worker.{{name()}}.>',
          '_INBOX_ops.*.worker.{{name()}}.>',
        ],
        subscribe: [
          'dep.dev.v1.wrk.{{name()}}',
          'dep.dev.v1.wrk.{{name()}}.rpc.read-log.*',
          'dep.dev.v1.wrk.{{name()}}.rpc.read-log',
          'dep.dev.v1.wrk.{{name()}}.rpc.test-engine.*',
          'dep.dev.v1.wrk.{{name()}}.rpc.test-engine',
          'sys.dev.v1.worker.{{name()}}.rpc.read-process.*',
          'sys.dev.v1.worker.{{name()}}.rpc.read-process',
          'sys.dev.v1.worker.{{name()}}.rpc.set-log-level.*',
          'sys.dev.v1.worker.{{name()}}.rpc.set-log-level',
          'sys.dev.v1.who',
          '_INBOX_agent.{{name()}}.>',
        ],
      }),
    );
  });

  it('runner', () => {
    expect(of('runner')).toEqual(
      sorted({
        publish: [
          'usage.dev.v1.orphan',
          'inf.dev.v1.g.*.r.*.*',
          'inf.dev.v1.g.*.a.{{name()}}',
          'inf.dev.v1.hb.*.{{name()}}',
          'tun.dev.v1.rpc.find-blob-door.runner',
          'tun.dev.v1.rpc.open-blob.runner',
        ],
        subscribe: [
          'inf.dev.v1.w.{{name()}}.start',
          'inf.dev.v1.w.{{name()}}.ni.*.*',
          'inf.dev.v1.w.{{name()}}.ctl',
          'inf.dev.v1.disc',
          'inf.dev.v1.gwhb.*',
          '_INBOX_runner.{{name()}}.>',
        ],
        neverPublish: ['inf.dev.v1.hb.0.>'],
      }),
    );
  });

  it('join, which is all that a worker starts with', () => {
    expect(of('join')).toEqual(
      sorted({
        publish: ['key.dev.v1.rpc.join-worker.join', 'key.dev.v1.rpc.join-worker'],
        subscribe: ['_INBOX_join.>'],
      }),
    );
  });
});
