// AdminService: what the people who run a deployment do to it. The operations are in the files beside this one, by what they are about.

import type { Erasure } from '../../../engine/erasure/erasure.ts';
import type { AccountExport } from '../../../engine/erasure/export.ts';
import type { Stops } from '../../../engine/limits/stops.ts';
import { AdminService } from '../../../gen/ramz/v1/admin_pb.ts';
import { type RegisteredService, service } from '../../waist/invoke.ts';
import { exportHandlers } from '../erasure/export.ts';
import { erasureHandlers } from '../erasure/numbers.ts';
import { limitsAdministrationHandlers } from '../limits/administration.ts';
import { administratorHandlers } from './administrators.ts';
import { auditHandlers } from './audit.ts';
import { type ControlOptions, controlHandlers } from './control.ts';
import { accountHandlers } from './managed.ts';

export interface AdminServiceOptions extends ControlOptions {
  erasure: Erasure;
  exports: AccountExport;
  stops: Stops;
}

export function adminService(options: AdminServiceOptions): RegisteredService {
  return service(AdminService, {
    ...accountHandlers(options.accounts),
    ...administratorHandlers({ administrators: options.accounts.administrators, now: options.now }),
    ...auditHandlers(options.db),
    ...controlHandlers(options),
    ...limitsAdministrationHandlers({ stops: options.stops, lists: options.accounts.lists }),
    ...erasureHandlers(options.erasure, options.db),
    ...exportHandlers(options.exports),
  });
}
