// AdminService: what the people who run a deployment do to it. The operations are in the files beside this one, by what they are about.

import type { Erasure } from '../../../engine/erasure/erasure.ts';
import { AdminService } from '../../../gen/ramz/v1/admin_pb.ts';
import { type RegisteredService, service } from '../../waist/invoke.ts';
import { erasureHandlers } from '../erasure/numbers.ts';
import { administratorHandlers } from './administrators.ts';
import { auditHandlers } from './audit.ts';
import { type ControlOptions, controlHandlers } from './control.ts';
import { accountHandlers } from './managed.ts';

export interface AdminServiceOptions extends ControlOptions {
  erasure: Erasure;
}

export function adminService(options: AdminServiceOptions): RegisteredService {
  return service(AdminService, {
    ...accountHandlers(options.accounts),
    ...administratorHandlers({ administrators: options.accounts.administrators, now: options.now }),
    ...auditHandlers(options.db),
    ...controlHandlers(options),
    ...erasureHandlers(options.erasure),
  });
}
