// AdminService: what the people who run a deployment do to it. The operations are in the files beside this one, by what they are about.

import type { Accounts } from '../../../engine/accounts/accounts.ts';
import type { Erasure } from '../../../engine/erasure/erasure.ts';
import { AdminService } from '../../../gen/ramz/v1/admin_pb.ts';
import { type RegisteredService, service } from '../../waist/invoke.ts';
import { erasureHandlers } from '../erasure/numbers.ts';
import { type AdministratorsOptions, administratorHandlers } from './administrators.ts';
import { accountHandlers } from './managed.ts';

export interface AdminServiceOptions extends AdministratorsOptions {
  control: Accounts['control'];
  erasure: Erasure;
}

export function adminService(options: AdminServiceOptions): RegisteredService {
  return service(AdminService, {
    ...accountHandlers(options),
    ...administratorHandlers(options),
    ...erasureHandlers(options.erasure),
  });
}
